"""The same question to the planted Worker with shorter pauses."""

from planted_sim import question

from eutaxy.cloudflare import bounds, define_scenario

scenario = define_scenario(
    **question,
    worker={"entry": "./worker_short.py", "config": "./wrangler.jsonc"},
    bounds=bounds(max_faults_per_run=1),
)
