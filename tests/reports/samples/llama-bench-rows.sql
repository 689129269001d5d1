CREATE TABLE IF NOT EXISTS llama_bench (
  build_commit TEXT,
  n_prompt INTEGER
);

INSERT INTO llama_bench (build_commit, build_number, backends, model_filename, model_type, model_size, n_threads, n_gpu_layers, tensor_buft_overrides, n_prompt, n_gen, n_depth, avg_ts, stddev_ts) VALUES ('1a2b3c4d5', '9123', 'CPU', 'it's-Qwen3-30B-A3B-Q4_K_M.gguf', 'qwen3moe 30B.A3B Q4_K - Medium', '18556686336', '8', '0', 'none', '0', '32', '0', '22.750000', '0.150000');
