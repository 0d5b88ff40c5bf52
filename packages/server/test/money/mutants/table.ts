// Mutants: each row removes a guard from the server, to prove that the scenarios detect it. Many rules are
// guarded twice, in the code and in the database. A row for such a rule removes both guards.

import type { Kind } from '../scenario-kinds.ts'
import { billingMutants } from './billing-table.ts'
import { ledgerMutants } from './ledger-table.ts'

export type Patch = {
  /** The path under `packages/server/src`. */
  readonly file: string
  /** Must occur exactly once in the file. Otherwise the run fails, and the row must be updated. */
  readonly from: string
  readonly to: string
}

export type Mutant = {
  /** The kind of scenario that detects the mutant. */
  readonly kind: Kind
  readonly name: string
  readonly removes: string
  readonly statements?: readonly string[]
  readonly patches?: readonly Patch[]
}

type PaymentMutant = Omit<Mutant, 'kind'>
export type BillingMutant = Omit<Mutant, 'kind'>

const unknownOutcomeCode =
  "  return stayOpen('unknown', checkWait(operation.checks), 'unresolved', { on: 'unresolved' })\n}"

const failOverOnUnknown: Patch = {
  file: 'domains/payments/payments/rules/decide.ts',
  from: unknownOutcomeCode,
  to: `  const stays = stayOpen('unknown', checkWait(operation.checks), 'unresolved', { on: 'unresolved' })
  return { ...stays, failsOver: true }
}`,
}

const noLock: Patch = {
  file: 'domains/payments/payments/store/payments.ts',
  from: 'await findRow(tx, text, sql`for update`)',
  to: 'await findRow(tx, text)',
}

const dropCheck = (name: string) => `alter table payments drop constraint ${name}`

const schemaMutants: readonly PaymentMutant[] = [
  {
    name: 'one_live_attempt',
    removes: 'the index, and the rule that an unknown outcome starts no other attempt',
    statements: ['drop index one_live_attempt'],
    patches: [failOverOnUnknown],
  },
  {
    name: 'one_approval',
    removes: 'the index, one_live_attempt, and the rule that an unknown outcome starts no other attempt',
    statements: ['drop index one_live_attempt', 'drop index one_approval'],
    patches: [failOverOnUnknown],
  },
  {
    name: 'one_open_operation',
    removes: 'the index, and the rule that a capture is rejected while another is in progress',
    statements: ['drop index one_open_operation'],
    patches: [
      {
        file: 'domains/payments/payments/commands/capture-payment.ts',
        from: "    nextTransition(paymentMachine, { state: before.status, trigger: 'capture'",
        to: "    if (before.status !== 'processing' || before.amountCapturable === 0n)\n      nextTransition(paymentMachine, { state: before.status, trigger: 'capture'",
      },
    ],
  },
  {
    name: 'one_open_refund',
    removes:
      'the index, and the rule that a refund with an unknown outcome is not repeated under another reference',
    statements: ['drop index one_open_refund'],
    patches: [
      {
        file: 'domains/payments/payments/operations/record-refund-result.ts',
        from: "import * as refunds from '../store/refunds.ts'\n",
        to: `import * as refunds from '../store/refunds.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import * as operations from '../store/operations.ts'
import { nextOperationNumber } from '../rules/reference.ts'
import { continuedReference } from './references.ts'
`,
      },
      {
        file: 'domains/payments/payments/operations/record-refund-result.ts',
        from: '  // A refund that will be resent has not failed yet.\n',
        to: `  if (status === 'unknown' && observation.source === 'response' && !observation.isReplay) {
    const existing = await operations.listOperations(tx, payment.id)
    const number = nextOperationNumber(existing)
    const reference = continuedReference(tx, payment.id, existing)
    const more = { number, reference, leaseUntil: addSeconds(tx.now, 70), completeBeforeAt: null }
    const next = await operations.insertOperation(tx, payment.id, { ...operation, ...more })
    return { id: before.id, payment, next, refund: before }
  }
`,
      },
    ],
  },
  {
    name: 'order_claims_pkey',
    removes: 'the primary key of order claims',
    statements: ['alter table order_claims drop constraint order_claims_pkey'],
  },
  {
    name: 'holds_at_most_its_amount',
    removes: 'the check, and the rule that a capture reduces the capturable amount',
    statements: [dropCheck('holds_at_most_its_amount')],
    patches: [
      {
        file: 'domains/payments/payments/operations/apply-outcome.ts',
        from: 'amountCapturable: operation.final ? 0n : left,',
        to: 'amountCapturable: operation.final ? 0n : payment.amountCapturable,',
      },
    ],
  },
  {
    name: 'refunds_at_most_what_it_took',
    removes: 'the check, and the rule that a refund larger than the remaining amount is rejected',
    statements: [dropCheck('refunds_at_most_what_it_took')],
    patches: [
      {
        file: 'domains/payments/payments/commands/create-refund.ts',
        from: 'if (amount > refundable || amount === 0n)\n',
        to: 'if (amount === 0n)\n',
      },
    ],
  },
  {
    name: 'refund of a returned debit',
    removes: 'the checks, and the rule that a debit that the bank has returned cannot be refunded',
    statements: [dropCheck('refunds_at_most_what_it_took'), dropCheck('returns_at_most_what_it_took')],
    patches: [
      {
        file: 'domains/payments/payments/commands/create-refund.ts',
        from: '  if (before.amountReversed > 0n)\n',
        to: '  if (before.amountReversed < 0n)\n',
      },
      {
        file: 'domains/payments/payments/payment.ts',
        from: '  return amountCaptured - amountRefunded - amountRefunding - amountReversed\n',
        to: '  return amountCaptured - amountRefunded - amountRefunding + 0n * amountReversed\n',
      },
    ],
  },
  {
    name: 'failed_holds_nothing',
    removes: 'the check, and the rule that a void resets the capturable amount',
    statements: [dropCheck('failed_holds_nothing')],
    patches: [
      {
        file: 'domains/payments/payments/machine.ts',
        from: "on: 'voided',                                 to: 'cancelled',        effects: ['void']         },",
        to: "on: 'voided',                                 to: 'cancelled',        effects: []               },",
      },
    ],
  },
  {
    name: 'succeeded_took_something',
    removes:
      'the check, the trigger that requires a posting, and the rule that a capture increases the captured amount',
    statements: [dropCheck('succeeded_took_something'), 'drop trigger captures_are_posted on operations'],
    patches: [
      {
        file: 'domains/payments/payments/machine.ts',
        from: "when: fullyCaptured,   to: 'succeeded',        effects: ['capture']      },",
        to: "when: fullyCaptured,   to: 'succeeded',        effects: []               },",
      },
    ],
  },
]

const codeMutants: readonly PaymentMutant[] = [
  {
    name: 'version of payments',
    removes:
      'the version in updates of payments, the lock of the row, and the trigger that requires an event',
    statements: ['drop trigger payments_change_is_told on payments'],
    patches: [
      noLock,
      {
        file: 'domains/payments/payments/store/payments.ts',
        from: 'id: uuidOf(before.id), version: before.version },',
        to: 'id: uuidOf(before.id) },',
      },
    ],
  },
  {
    name: 'version of operations',
    removes: 'version and status in updates of operations, and the lock of the payment',
    patches: [
      noLock,
      {
        file: 'domains/payments/payments/store/operations.ts',
        from: '      rowOf(tx, before),\n      isOpenRow,\n',
        to: '      { ...rowOf(tx, before), version: undefined },\n',
      },
    ],
  },
  {
    name: 'write before send',
    removes: 'the commit before the call, and the guard against calls inside a unit of work',
    patches: [
      {
        file: 'domains/payments/payments/operations/run.ts',
        from: '  return runResumable(deps, caller, begin, async (request) => {\n',
        to: `  const beginAndSend = async (tx: Tx) => {
    const progress = await begin(tx)
    if (progress.next !== null)
      early.set(progress.next.id, await sendOperation(deps, caller, progress.next, startedMs, { payment: progress.payment, charged: null }, tx))
    return progress
  }
  return runResumable(deps, caller, beginAndSend, async (request) => {
`,
      },
      {
        file: 'domains/payments/payments/operations/run.ts',
        from: 'type RequestRun = {',
        to: 'const early = new Map<string, Observation>()\ntype RequestRun = {',
      },
      {
        file: 'domains/payments/payments/operations/run.ts',
        from: 'const sending = sendOperation(deps, caller, step.operation, step.sinceMs, step)',
        to: `const observed = early.get(step.operation.id)
    const sending = observed === undefined ? sendOperation(deps, caller, step.operation, step.sinceMs, step) : Promise.resolve(observed)`,
      },
      {
        file: 'domains/payments/payments/operations/send.ts',
        from: '): Promise<ResponseObservation> {\n  const context = await contextOf(deps, caller, operation, loaded)\n',
        to: '  tx?: any,\n): Promise<ResponseObservation> {\n  const context = await contextOf(deps, caller, operation, loaded, tx)\n',
      },
      {
        file: 'domains/payments/payments/operations/send.ts',
        from: '): Promise<SendContext> {\n',
        to: '  tx?: any,\n): Promise<SendContext> {\n',
      },
      {
        file: 'domains/payments/payments/operations/send.ts',
        from: ': await readContext(deps, caller, operation, loadedPayment)',
        to: ': await readContext(deps, caller, operation, loadedPayment, tx)',
      },
      {
        file: 'domains/payments/payments/operations/send.ts',
        from: '): Promise<ReadContext> {\n',
        to: '  tx?: any,\n): Promise<ReadContext> {\n',
      },
      {
        file: 'domains/payments/payments/operations/send.ts',
        from: '  return read(deps, caller, async (view) => {\n    const payment = loadedPayment',
        to: `  const inside: typeof read = tx === undefined ? read : (_deps, _caller, body) => body(tx)
  return inside(deps, caller, async (view) => {
    const payment = loadedPayment`,
      },
      {
        file: 'platform/db/unit-scope.ts',
        from: "  assert(openUnit.getStore() === undefined, 'Units of work cannot be nested. Pass the existing tx instead.')\n",
        to: '',
      },
      {
        file: 'platform/db/unit-scope.ts',
        from: "  assert(!unit.madeCall, 'An HTTP call was made inside a transaction. Commit first, then make the call.')\n",
        to: '',
      },
    ],
  },
  {
    name: 'unknown outcome blocks',
    removes: 'the rule that an unknown outcome is not treated as a failure',
    patches: [
      {
        file: 'domains/payments/payments/rules/decide.ts',
        from: unknownOutcomeCode,
        to: "  return failAttempt(facts, 'not_processed', 'failed', { code: 'provider_error' })\n}",
      },
    ],
  },
  {
    name: 'lease before sending',
    removes: 'the rule that nothing is sent after the lease has expired',
    patches: [
      {
        file: 'providers/perform.ts',
        from: 'deadlineMs - monotonicMs(),\n      quickSteps',
        to: 'operationTimeoutMs,\n      quickSteps',
      },
    ],
  },
  {
    name: 'sender after its lease',
    removes: 'the rule that the result of a sender whose lease has expired does not count',
    patches: [
      {
        file: 'domains/payments/payments/operations/record-result.ts',
        from: 'const observation = afterTakeover(operation, observed)',
        to: 'const observation = observed',
      },
    ],
  },
  {
    name: 'idempotency claim',
    removes: 'the claim of a key, and its unique index',
    statements: [
      `do $$ declare name text; begin
        for name in select indexrelid::regclass from pg_index
          where indisunique and indexrelid::regclass::text like 'idempotency_keys_%_once'
        loop execute 'drop index ' || name; end loop; end $$`,
    ],
    patches: [
      {
        file: 'platform/db/begin-transaction.ts',
        from: '  if (scope !== null) requireClaim(caller, first.claimed === true, stored)\n',
        to: '',
      },
    ],
  },
  {
    name: 'another amount',
    removes: 'the rule that an approval of a different amount is not an approval',
    patches: [
      {
        file: 'providers/perform.ts',
        from: 'differs: differsFrom(input.money, outcome) }',
        to: 'differs: differsFrom(input.money, outcome) && false }',
      },
    ],
  },
]

const routeMutants: readonly PaymentMutant[] = [
  {
    name: 'published revision',
    removes: 'the rule that a payment uses the published revision',
    patches: [
      {
        file: 'domains/routing/payment-routes/service/decide.ts',
        from: 'pinnedRoute(deps, view, route.id, route.revision)',
        to: 'pinnedRoute(deps, view, route.id, Math.max(1, route.revision - 1))',
      },
    ],
  },
  {
    name: 'pinned revision',
    removes: 'the rule that a payment keeps its revision when it fails over',
    patches: [
      {
        file: 'domains/payments/payments/operations/begin-attempt.ts',
        from: 'await pinnedRoute(deps, tx, payment.paymentRouteId, payment.routeRevision)',
        to: 'await routeFor(deps, tx, payment.paymentRouteId)',
      },
    ],
  },
  {
    name: 'failing account is tried last',
    removes: 'the rule that an account with an open circuit breaker is tried last',
    patches: [
      {
        file: 'domains/routing/payment-routes/engine/choose.ts',
        from: '  return openCircuits.size === 0\n',
        to: '  return openCircuits.size >= 0\n',
      },
    ],
  },
  {
    name: 'rule of the route',
    removes: 'the rule that a matching rule takes precedence over the default',
    patches: [
      {
        file: 'domains/routing/payment-routes/engine/choose.ts',
        from: 'if (result === matched) return { rules: evaluated',
        to: "if (result === matched && rule.then.type !== 'decline') return { rules: evaluated",
      },
    ],
  },
  {
    name: 'network slot',
    removes: 'the limit on how many times a card may be tried',
    patches: [
      {
        file: 'domains/payments/card-budgets/service.ts',
        from: "  if (!decision.ok) await store.endAttempt(tx, slot.attemptId, { result: 'refused' })\n  return decision\n",
        to: '  return decision.ok ? decision : { ok: true }\n',
      },
    ],
  },
  {
    name: 'daily limit',
    removes: 'the limit of four declined merchant-initiated attempts per day',
    patches: [
      {
        file: 'domains/payments/card-budgets/network-rules.ts',
        from: "{ ...perAmount, id: 'internal_day',          network: 'all',        limit: 4, ",
        to: "{ ...perAmount, id: 'internal_day',          network: 'all',        limit: 40, ",
      },
    ],
  },
  {
    name: 'blocked card',
    removes: 'the rule that a card is not tried again after a permanent decline',
    patches: [
      {
        file: 'domains/payments/card-budgets/service.ts',
        from: '  if (block !== null) await store.blockCard(tx, slot.cardKey, block)\n',
        to: '',
      },
    ],
  },
]

const paymentMutants: readonly PaymentMutant[] = [...schemaMutants, ...codeMutants, ...routeMutants]

export const mutants: readonly Mutant[] = [
  ...paymentMutants.map((mutant): Mutant => ({ kind: 'payments', ...mutant })),
  ...billingMutants.map((mutant): Mutant => ({ kind: 'billing', ...mutant })),
  ...ledgerMutants,
]
