// Files expenses and pays them back once a manager agrees; the twin of `expenses.py`.
const PAYOUTS = "https://payouts.example/payouts";

async function payOut(expense) {
  const answer = await fetch(PAYOUTS, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(expense),
  });
  if (!answer.ok) throw new Error(`the payouts service said ${answer.status}`);
  return answer.json();
}

exports.Job = class Job extends WorkflowEntrypoint {
  async run(event, step) {
    const expense = event.payload;
    const options = { type: "decision", timeout: "7 days" };
    const decision = await step.waitForEvent("manager decision", options);
    if (!decision.payload.approved) return { expenseId: expense.expenseId, paid: false };
    const config = { retries: { limit: 3, delay: 1000 } };
    const payout = await step.do("pay out", config, () => payOut(expense));
    return { expenseId: expense.expenseId, paid: true, payoutId: payout.payoutId };
  }
};

exports.default = {
  async fetch(request, env) {
    const path = new URL(request.url).pathname;
    const decided = /^\/expenses\/([\w-]+)\/decision$/.exec(path);
    if (request.method === "POST" && path === "/expenses") {
      const expense = await request.json();
      const instance = await env.JOBS.create({ id: expense.expenseId, params: expense });
      return new Response(`filed ${instance.id}`, { status: 202 });
    }
    if (request.method === "POST" && decided) {
      const instance = await env.JOBS.get(decided[1]);
      const state = await instance.status();
      if (state.status === "complete") {
        return new Response("too late", { status: 409, headers: { "X-State": "complete" } });
      }
      await instance.sendEvent({ type: "decision", payload: await request.json() });
      return new Response(null, { status: 204 });
    }
    return new Response("not found", { status: 404 });
  },
};
