//! What the worker processes of `test` and `screenshot` share: how they are started, how they answer, and the GPU that
//! each keeps open.

use std::cell::OnceCell;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::args::scene::GpuArgs;
use super::choice::adapter;
use super::crash::{self, end, internal_error};
use super::failure::Failure;
use super::limits::Watch;
use super::output::{standard_output_failed, write_json_line};
use crate::suite::LAST;
use rigview_capture::PictureSeries;
use rigview_import::guarded;
use rigview_render::{AdapterChoice, Gpu, GpuError};

/// Workers at most, unless the command line says otherwise.
const MOST: usize = 8;

/// Returns the number of workers: as asked, or one per processor.
pub fn count(asked: Option<NonZeroUsize>) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.map_or(processors.min(MOST), NonZeroUsize::get)
}

/// How to start a worker: this program, a command of it with options, and its options for the GPU.
pub struct Starter<'a> {
    program: PathBuf,
    command: Vec<String>,
    gpu: &'a GpuArgs,
}

impl<'a> Starter<'a> {
    /// Finds this program's file.
    pub fn new(command: Vec<String>, gpu: &'a GpuArgs) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|e| Failure::Output(format!("this program's own file can't be found: {e}")))?;
        Ok(Self { program, command, gpu })
    }

    /// Returns the process to start.
    pub fn process(&self) -> Command {
        let mut process = Command::new(&self.program);
        process.args(&self.command).arg("--worker");
        let options = [("--adapter", &self.gpu.adapter), ("--backend", &self.gpu.backend)];
        for (option, value) in options {
            process.args(value.iter().flat_map(|value| [option, value]));
        }
        process
    }
}

/// The GPU of a worker, which is opened when something is drawn for the first time.
pub struct WorkerGpu<'a> {
    choice: &'a AdapterChoice,
    gpu: &'a OnceCell<Gpu>,
    /// Draws pictures of the size of the last one.
    series: Option<([u32; 2], PictureSeries<'a>)>,
}

impl<'a> WorkerGpu<'a> {
    /// Returns the GPU.
    pub fn gpu(&self) -> Result<&'a Gpu, GpuError> {
        match self.gpu.get() {
            Some(gpu) => Ok(gpu),
            None => {
                let gpu = Gpu::headless(self.choice)?;
                Ok(self.gpu.get_or_init(|| gpu))
            }
        }
    }

    /// Does a piece of work, whatever goes wrong.
    pub fn perform(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Failure>) -> Done {
        match guarded(|| work(self)) {
            Ok(Ok(())) => Done::default(),
            Ok(Err(failure)) => {
                let is_gpu = matches!(failure, Failure::Gpu(_));
                let is_open = self.gpu.get().is_some();
                Done {
                    code: failure.code(),
                    message: Some(failure.to_string()),
                    // A device that was lost stays lost, but another process can open it again.
                    is_broken: is_gpu && is_open,
                    has_no_gpu: is_gpu && !is_open,
                }
            }
            Err(panic) => Done {
                code: crash::EXIT_CODE,
                message: Some(internal_error(&*panic, "")),
                is_broken: true,
                has_no_gpu: false,
            },
        }
    }

    /// Returns what draws pictures of a size.
    pub fn series(&mut self, gpu: &'a Gpu, size: [u32; 2]) -> &mut PictureSeries<'a> {
        let last = self.series.take().filter(|(of, _)| *of == size);
        let series = last.unwrap_or_else(|| (size, PictureSeries::new(gpu, size)));
        &mut self.series.insert(series).1
    }
}

/// How a piece of work ended.
#[derive(Default)]
pub struct Done {
    /// The exit code that it would have had as a program of its own.
    pub code: u8,
    /// Why it failed.
    pub message: Option<String>,
    /// Whether the process is in a state that may spoil what it does next.
    pub is_broken: bool,
    /// Whether it failed because there is no usable GPU.
    pub has_no_gpu: bool,
}

/// An answer of a worker.
pub struct Answered<A> {
    pub answer: A,
    /// Whether the process has to end.
    pub is_broken: bool,
}

/// How much later than the process that gives the orders a worker enforces the limits of an order.
pub const GRACE: Duration = Duration::from_secs(1);

/// Reads orders from standard input, a line each, and answers each with a line. Ends with the process that gives the
/// orders, even if that is killed. `watch` enforces the limits of an order for the case that nobody else does.
pub fn serve<O: DeserializeOwned, A: Serialize>(
    args: &GpuArgs,
    watch: impl Fn(&O) -> Option<Watch>,
    mut carry_out: impl FnMut(&O, &mut WorkerGpu) -> Answered<A>,
) -> Result<(), Failure> {
    end_with_parent();
    let orders = orders().map_err(|e| Failure::Output(format!("no thread can be started: {e}")))?;
    let choice = adapter(args);
    // Dropping the device takes longer than ending the process, which frees it too.
    let gpu = std::mem::ManuallyDrop::new(OnceCell::new());
    let mut worker_gpu = WorkerGpu { choice: &choice, gpu: &gpu, series: None };
    let mut out = io::stdout().lock();
    for line in orders {
        let order: O = serde_json::from_str(&line)
            .map_err(|e| Failure::Usage(format!("standard input: not an order: {e}")))?;
        let watch = watch(&order);
        let Answered { answer, is_broken } = carry_out(&order, &mut worker_gpu);
        drop(watch);
        let mark = if is_broken { LAST.to_string() } else { String::new() };
        out.write_all(mark.as_bytes())
            .and_then(|()| write_json_line(&mut out, &answer))
            .and_then(|()| out.flush())
            .map_err(standard_output_failed)?;
        if is_broken {
            break;
        }
    }
    Ok(())
}

/// Lets the system kill this process when the thread that started it ends. Elsewhere than on Linux, the end of
/// standard input has to do.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    // SAFETY: this only sets an attribute of the process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// Reads the lines of standard input on a thread. The process ends where the input does, also in the middle of an order:
/// nobody reads the answer any more.
fn orders() -> io::Result<Receiver<String>> {
    let (send, lines) = channel();
    std::thread::Builder::new().name("orders".into()).spawn(move || {
        for line in io::stdin().lines() {
            if line.is_ok_and(|line| send.send(line).is_ok()) {
                continue;
            }
            break;
        }
        end(0);
    })?;
    Ok(lines)
}
