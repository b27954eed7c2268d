//! Measures the error of what is shown on a thread of its own.

use winit::event_loop::EventLoopProxy;

use super::wake::Wake;
use crate::report::ShownSkin;
use crate::session::LoadId;

/// Finds the error; it arrives as a [`Wake`].
pub(super) fn measure_skin(load: LoadId, shown: Box<ShownSkin>, proxy: EventLoopProxy<Wake>) {
    let also = proxy.clone();
    let measure = move || {
        let error = shown.error().map_err(|e| e.to_string());
        // The event loop is gone if the window has been closed.
        let _ = proxy.send_event(Wake::Measured(load, error));
    };
    if let Err(why) = std::thread::Builder::new().name("measure".into()).spawn(measure) {
        let _ = also.send_event(Wake::Measured(load, Err(why.to_string())));
    }
}
