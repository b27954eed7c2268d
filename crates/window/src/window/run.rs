//! Opens the window and runs the event loop.

use std::io::Write;
use std::rc::Rc;

use winit::event_loop::EventLoop;

use super::App;
use super::wake::Wake;
use crate::workers::Workers;
use crate::{AppError, Start};
use rigview_render::joined_lines;
use rigview_shell::Shell;

/// Opens a window and runs until it is closed. A script's answers for `-` are written to `answers`.
///
/// # Errors
/// If there is no display or adapter, or a step of the script fails.
pub fn run(start: Start, answers: Box<dyn Write>) -> Result<(), AppError> {
    give_back_memory();
    let event_loop = EventLoop::<Wake>::with_user_event()
        .build()
        .map_err(|e| AppError::NoDisplay(reason(&e.to_string())))?;
    let proxy = event_loop.create_proxy();
    let workers = Rc::new(Workers::new(move || {
        // The event loop is gone if the window has been closed.
        let _ = proxy.send_event(Wake::JobReported);
    }));
    #[cfg(unix)]
    let _listening =
        (start.reuse || start.script.is_none()).then(|| super::reuse::listen(workers.reporter()));
    if let Some(source) = start.script.clone() {
        workers.read_script(source);
    }
    let threads = Rc::clone(&workers);
    let shell = Shell::new(start, move |job| threads.start(job), answers);
    let mut app = App::new(shell, workers, event_loop.create_proxy());
    event_loop.run_app(&mut app).map_err(|e| AppError::Window(joined_lines(&e.to_string())))?;
    app.result()
}

/// Returns winit's message without the source location that it starts with.
fn reason(text: &str) -> String {
    let line = joined_lines(text);
    let told = line.strip_prefix("os error at ").and_then(|rest| rest.split_once(": "));
    told.map_or(line.as_str(), |(_, why)| why).trim_end_matches('.').to_owned()
}

/// Returns blocks above a megabyte to the system when they are freed. By default glibc learns to keep blocks of
/// up to 32 MiB, such as the images of models that are no longer open.
fn give_back_memory() {
    // SAFETY: mallopt sets a parameter of the allocator.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
}
