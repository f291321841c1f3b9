"""The same question to the corrected Worker, with more faults and redeliveries."""

from planted_sim import question

from eutaxy.cloudflare import bounds, define_scenario

scenario = define_scenario(
    **question,
    worker={"entry": "./worker_fixed.py", "config": "./wrangler.jsonc"},
    bounds=bounds(max_faults_per_run=2, max_redeliveries=2, max_concurrent_invocations=2),
)
