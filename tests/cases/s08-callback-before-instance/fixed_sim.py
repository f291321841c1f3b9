"""The same question to the corrected Worker, with one fault more."""

from planted_sim import callback, export, question

from eutaxy.cloudflare import bounds, define_scenario, http, workflow

scenario = define_scenario(
    **question,
    worker={"entry": "./worker.fixed.ts", "config": "./wrangler.jsonc"},
    setup=[workflow("EXPORTS", "ExportReport")],
    drive=http([export, {**callback, "after": "5 seconds"}]),
    bounds=bounds(max_faults_per_run=2),
)
