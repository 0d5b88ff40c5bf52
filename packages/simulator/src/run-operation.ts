/**
 * Runs the scenario of an operation: the decision now or later, the response, and the webhooks. Money only moves in
 * `finishOperation`.
 */
import { randomUUID } from 'node:crypto'
import { declineOfCode } from './declines.ts'
import { openScenarioDispute } from './disputes.ts'
import type { Reply } from './faults.ts'
import { approve, problemOf } from './money.ts'
import type { OperationRecord } from './protocol.ts'
import { forbidden, notProcessed, recordOf, replyWith } from './records.ts'
import { scheduleReturn } from './returns.ts'
import { type Behaviour, behaviourOf, type Processing, type Verdict } from './scenarios.ts'
import { type Account, type Operation, type SimulatorState, saveOperation } from './simulator-state.ts'

export type AccountContext = { readonly state: SimulatorState; readonly account: Account }

const challengeMs = 30 * 60_000

/** Runs the scenario as far as possible now. `origin` is the URL of the simulator for the payer's browser. */
export async function runOperation(
  context: AccountContext,
  operation: Operation,
  origin: string,
): Promise<Reply> {
  const { processing, ...behaviour } = behaviourFor(context, operation)
  const reply = applyProcessing(context, operation, processing, origin)
  const sendOperation = webhookSender(context, operation, behaviour.webhookMode)
  const sendWebhook = async () => {
    await sendOperation()
    await openScenarioDispute(context, operation)
  }
  if (behaviour.webhookMode === 'before_reply') await sendWebhook()
  return {
    ...reply,
    ...(behaviour.responseMode === undefined ? {} : { responseMode: behaviour.responseMode }),
    ...(behaviour.replyDelayMs === undefined ? {} : { delayMs: behaviour.replyDelayMs }),
    ...(behaviour.webhookMode === 'before_reply' ? {} : { afterSend: sendWebhook }),
  }
}

function behaviourFor({ state, account }: AccountContext, { scenario, request, puts }: Operation): Behaviour {
  const approval: Behaviour = { processing: { type: 'approve' } }
  if (request === null) return approval
  const behaviour = behaviourOf(scenario, request.kind)
  const isFirst = state.firstAccounts.get(request.payment_id) === account.name
  if (behaviour.firstAccountOnly === true && !isFirst) return approval
  if (puts === 1) return behaviour
  return behaviour.processing.type === 'drop' ? approval : { processing: behaviour.processing }
}

function applyProcessing(
  context: AccountContext,
  operation: Operation,
  processing: Processing,
  origin: string,
): Reply {
  const { state, account } = context
  switch (processing.type) {
    case 'approve':
    case 'decline':
      return replyWith(finishOperation(context, operation, processing))
    case 'challenge':
      return replyWith(challenge(context, operation, processing, origin))
    case 'pending': {
      const at = state.clock.now() + processing.delayMs
      const decision = { at, verdict: processing.verdict }
      const timing =
        processing.isDebit === true
          ? { settles_at: new Date(at).toISOString() }
          : { check_after_ms: processing.delayMs }
      const record = recordOf(operation, 'pending', timing)
      return replyWith(decideLater(context, { ...operation, record, decision }))
    }
    case 'drop':
    case 'refuse':
      saveOperation(state, account, { ...operation, record: null }, null)
      if (processing.type === 'drop') return notProcessed(503)
      return processing.status === 403 ? forbidden : notProcessed(processing.status)
    case 'reject': {
      const record = recordOf(operation, 'rejected', { error: processing.error })
      saveOperation(state, account, { ...operation, record }, null)
      return { status: processing.status, body: record }
    }
  }
}

/** Ends an operation. This is the only place where money moves. */
export function finishOperation(
  { state, account }: AccountContext,
  operation: Operation,
  verdict: Verdict,
): OperationRecord {
  const ended = { ...operation, challenge: null, decision: null }
  if (verdict.type === 'decline') {
    const record = recordOf(operation, 'declined', { decline: verdict.decline })
    saveOperation(state, account, { ...ended, record }, null)
    return record
  }
  const error = problemOf(account, operation)
  if (error !== null) {
    const record = recordOf(operation, 'rejected', { error })
    saveOperation(state, account, { ...ended, record }, null)
    return record
  }
  const { record, fact } = approve(account, operation, state.clock.now(), verdict.amountDifference)
  saveOperation(state, account, { ...ended, record }, fact)
  return record
}

function challenge(
  context: AccountContext,
  operation: Operation,
  { presetResult, opensWithForm = false }: Extract<Processing, { type: 'challenge' }>,
  origin: string,
) {
  const { state, account } = context
  const at = state.clock.now() + challengeMs
  const formSecret = opensWithForm ? randomUUID() : null
  const action = {
    type: formSecret === null ? 'redirect' : 'form',
    url: `${origin}/${account.name}/3ds/${encodeURIComponent(operation.reference)}`,
    ...(formSecret === null ? {} : { fields: { creq: formSecret } }),
    expires_at: new Date(at).toISOString(),
  } as const
  return decideLater(context, {
    ...operation,
    record: recordOf(operation, 'action_required', { action }),
    challenge: { presetResult, secret: randomUUID(), formSecret, result: null },
    decision: { at, verdict: { type: 'decline', decline: declineOfCode('authentication_abandoned') } },
  })
}

function decideLater(context: AccountContext, operation: Operation & { readonly record: OperationRecord }) {
  saveOperation(context.state, context.account, operation, null)
  scheduleDecision(context, operation)
  return operation.record
}

/** Schedules a pending decision. Also called after a restart for every pending operation. */
export function scheduleDecision(context: AccountContext, operation: Operation): void {
  const { decision } = operation
  if (decision === null) return
  context.state.clock.schedule(decision.at, async () => {
    if (!isDecisionCurrent(context.account.operations.get(operation.reference), operation)) return
    const record = finishOperation(context, operation, decision.verdict)
    await context.state.journal.durable()
    await context.account.outbox.send('operation.updated', record)
    scheduleReturn(context, operation)
  })
}

/**
 * Whether the decision still applies: the operation may have been completed or closed since. Without idempotency a
 * repeated request does not replace the first one: both charge.
 */
function isDecisionCurrent(current: Operation | undefined, { puts, decision }: Operation): boolean {
  if (current === undefined || current.record?.status === 'closed') return false
  if (current.puts === puts) return current.decision?.at === decision?.at
  return decision?.verdict.type === 'approve'
}

function webhookSender(
  { state, account }: AccountContext,
  { reference }: Operation,
  webhookMode: Behaviour['webhookMode'],
) {
  const record = account.operations.get(reference)?.record
  return async () => {
    if (record == null || record.status === 'rejected') return
    await state.journal.durable()
    if (webhookMode === 'forged') {
      const { decline: _, ...rest } = record
      await account.outbox.send('operation.updated', { ...rest, status: 'succeeded' }, { forged: true })
    } else {
      await account.outbox.send('operation.updated', record, { times: webhookMode === 'three_times' ? 3 : 1 })
    }
  }
}
