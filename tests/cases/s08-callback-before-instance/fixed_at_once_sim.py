"""The same question once more; the callback may come at any moment once the export was asked for."""

from planted_sim import callback, export, question

from eutaxy.cloudflare import bounds, define_scenario, http, workflow

scenario = define_scenario(
    **question,
    worker={"entry": "./worker.fixed.ts", "config": "./wrangler.jsonc"},
    setup=[workflow("EXPORTS", "ExportReport")],
    drive=http([export, callback]),
    bounds=bounds(max_faults_per_run=2, max_redeliveries=0, max_concurrent_invocations=2),
)
