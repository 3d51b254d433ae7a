# openai/whisper
import numpy as np
import torch
from whisper import audio, decoding
from whisper.model import ModelDimensions, Whisper

dims = ModelDimensions(80, 1500, 32, 2, 2, 51865, 448, 32, 2, 2)
model = Whisper(dims)
signal = np.random.randn(16000 * 3).astype("float32")
mel = attempt(lambda: audio.log_mel_spectrogram(audio.pad_or_trim(signal)))
if mel is None:
    mel = torch.randn(80, 3000)
attempt(lambda: model(mel[None], torch.zeros(1, 4, dtype=torch.long)))
attempt(lambda: model.decode(mel, decoding.DecodingOptions(fp16=False, sample_len=4)))
attempt(lambda: model.decode(mel, decoding.DecodingOptions(fp16=False, sample_len=4, beam_size=2)))
attempt(lambda: model.detect_language(mel))
attempt(lambda: model.transcribe(signal, fp16=False, sample_len=3))
run_tests("tests/test_timing.py", seconds=20)
