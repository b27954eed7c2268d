//! Reads files and uploads models, so that the window never waits for a file: mip levels and copies of a large model take
//! longer than a frame.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::{Report, UploadedModel, answer};
use rigview_import::{
    self, ImportError, ImportOptions, Progress, ReadFile, load_environment, panic_text,
};
use rigview_model::{BlockFormats, Model, Pixels};
use rigview_render::{Gpu, GpuModel};
use rigview_session::{
    Destination, FileSource, LoadAction, LoadId, LoadRequest, LoadedFile, PreparedModel,
};

/// Time for which a changed file that can't be read must stay unchanged before the error is reported. The program
/// that writes it may not have finished.
const PATIENCE: Duration = Duration::from_secs(1);

/// Polling interval during that time.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A file to read.
pub struct LoadJob {
    pub(crate) request: LoadRequest,
    /// The texture formats that the adapter supports. They are set once it is open; a load that needs them before waits.
    pub(crate) block_formats: Arc<OnceLock<BlockFormats>>,
    /// Metres per unit of BVH files; guessed if `None`.
    pub(crate) bvh_scale: Option<f32>,
}

impl LoadJob {
    /// Reads the file, until its progress is cancelled. A model to be drawn is reported to be uploaded; everything else is
    /// the session's answer.
    pub(super) fn run(self) -> Report {
        let Self { request, block_formats, bvh_scale } = self;
        let id = request.id;
        let result = read(&request, &block_formats, bvh_scale);
        // In a browser no thread may sleep, and no file is watched.
        if request.patient && result.is_err() && cfg!(not(target_family = "wasm")) {
            wait_while_quiet(&request.progress, std::thread::sleep);
        }
        match result {
            Ok(LoadedFile::Model(model)) if request.destination.is_drawn() => {
                Report::Read(Box::new(request), model)
            }
            result => answer(LoadAction::Loaded { id, result }),
        }
    }
}

/// Reads a file, and prepares a model. A panic of the importer becomes an error.
fn read(
    request: &LoadRequest,
    formats: &OnceLock<BlockFormats>,
    bvh_scale: Option<f32>,
) -> Result<LoadedFile, ImportError> {
    guarded(|| match (&request.source, request.destination) {
        (FileSource::Path(path), Destination::Light) => {
            load_environment(path).map(LoadedFile::Light)
        }
        (source, destination) => {
            // For clips alone, images need not be decoded.
            let block_formats = destination.is_drawn().then_some(formats);
            let options = ImportOptions { block_formats, bvh_scale, ..ImportOptions::default() };
            let loaded = source.load(&options, &request.progress)?;
            Ok(LoadedFile::Model(Box::new(request.prepare(loaded))))
        }
    })
}

/// Waits until the files have not changed for [`PATIENCE`], or the load is cancelled. The watcher requests another load
/// when they change.
fn wait_while_quiet(progress: &Progress, mut pause: impl FnMut(Duration)) {
    let mut files = progress.files();
    let mut left = PATIENCE;
    while !left.is_zero() && !progress.is_cancelled() {
        pause(LOOK_AGAIN);
        left = left.saturating_sub(LOOK_AGAIN);
        let now: Vec<_> = files.iter().map(|file| ReadFile::now(&file.path)).collect();
        if now != files {
            (files, left) = (now, PATIENCE);
        }
    }
}

fn guarded<T>(read: impl FnOnce() -> Result<T, ImportError>) -> Result<T, ImportError> {
    rigview_import::guarded(read).unwrap_or_else(|panic| {
        let what = format!("internal error of the importer: {}", panic_text(&*panic));
        Err(ImportError::other(what))
    })
}

/// A model to upload.
pub struct UploadJob {
    pub(crate) gpu: Gpu,
    pub(crate) id: LoadId,
    pub(crate) model: Box<PreparedModel>,
}

impl UploadJob {
    pub(super) fn run(self) -> Report {
        let Self { gpu, id, mut model } = self;
        let gpu_model = upload(&gpu, &mut model.loaded.model);
        Report::Uploaded(Box::new(UploadedModel { id, model, gpu_model, gpu }))
    }
}

/// Uploads a model, and drops the pixels that the GPU has then. `None` if the upload fails; the model keeps its pixels.
fn upload(gpu: &Gpu, model: &mut Model) -> Option<GpuModel> {
    // wgpu panics when it runs out of memory. The window then tries once more with the memory that this freed.
    let gpu_model = rigview_import::guarded(|| {
        let gpu_model = GpuModel::new(gpu, model);
        gpu.flush();
        gpu_model
    });
    let gpu_model = gpu_model.ok()?;
    // If the device is lost, the images are read from the file again.
    for image in &mut model.images {
        if image.pixels.bytes() > 0 {
            image.pixels = Pixels::Header;
        }
    }
    Some(gpu_model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_import::{Loaded, load_with_progress};
    use rigview_session::{Action, LoadId};

    #[test]
    fn a_panic_while_loading_is_an_error_with_its_words() {
        let failed: Result<Loaded, _> = guarded(|| panic!("joint {} of {}", 3, 2));
        let error = failed.unwrap_err();
        assert!(error.message().ends_with("joint 3 of 2"), "{error}");
    }

    /// Writes to a file that can't be read in the first `writes` pauses. Returns the number of pauses.
    fn pauses(writes: usize, progress: &Progress) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("square.gltf");
        std::fs::write(&path, "{").unwrap();
        load_with_progress(&path, &ImportOptions::default(), progress).unwrap_err();
        let mut count = 0;
        wait_while_quiet(progress, |_| {
            count += 1;
            if count <= writes {
                std::fs::write(&path, "{".repeat(count + 1)).unwrap();
            }
        });
        count
    }

    #[test]
    fn a_file_is_waited_for_until_it_has_been_quiet_for_a_second() {
        let quiet = (PATIENCE.as_millis() / LOOK_AGAIN.as_millis()) as usize;
        assert_eq!(pauses(0, &Progress::default()), quiet);
        assert_eq!(
            pauses(100, &Progress::default()),
            100 + quiet,
            "it is written for five seconds"
        );
    }

    #[test]
    fn a_missing_file_answers_the_load_that_asked_for_it() {
        let source = FileSource::Path("/no/such/file.glb".into());
        let request = LoadRequest { id: LoadId(7), ..LoadRequest::new(source, Destination::Shown) };
        let report = LoadJob { request, block_formats: Arc::default(), bvh_scale: None }.run();
        let Report::Answer(Action::Load(LoadAction::Loaded { id: LoadId(7), result })) = report
        else {
            panic!("another result")
        };
        assert!(result.is_err());
    }
}
