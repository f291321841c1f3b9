"""The same question to the corrected Worker, with one fault more."""

from planted_sim import question

from eutaxy.cloudflare import bounds, define_scenario

scenario = define_scenario(
    **question,
    worker={"entry": "./worker_fixed.py", "config": "./wrangler.jsonc"},
    bounds=bounds(max_faults_per_run=2),
)
