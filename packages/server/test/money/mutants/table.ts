// Guards that are taken away, one at a time, to see that the model notices. Many promises have two lines of
// defence, code in front and the database behind it. Taking away one of two shows nothing but the other, so a row
// then takes both away, and says so.

export type Patch = {
  /** Under `packages/server/src`. */
  readonly file: string
  /** Stands there exactly once; if it does not, the run fails and the row has to be brought up to date. */
  readonly from: string
  readonly to: string
}

export type Mutant = {
  readonly name: string
  readonly removes: string
  readonly statements?: readonly string[]
  readonly patches?: readonly Patch[]
}

const unknownEnd =
  "  return open('unknown', checkWait(operation.checks), 'unresolved', { on: 'unresolved' })\n}"

const cascadeOnUnknown: Patch = {
  file: 'domains/payments/decide.ts',
  from: unknownEnd,
  to: `  const stays = open('unknown', checkWait(operation.checks), 'unresolved', { on: 'unresolved' })
  return { ...stays, cascade: true }
}`,
}

const noLock: Patch = {
  file: 'domains/payments/store/payments.ts',
  from: 'await byId(tx, text, lockedColumns).forUpdate().executeTakeFirst()',
  to: 'await byId(tx, text, lockedColumns).executeTakeFirst()',
}

const dropCheck = (name: string) => `alter table payments drop constraint ${name}`

const schemaMutants: readonly Mutant[] = [
  {
    name: 'one_live_attempt',
    removes: 'the index, and that an unknown outcome starts no other attempt',
    statements: ['drop index one_live_attempt'],
    patches: [cascadeOnUnknown],
  },
  {
    name: 'one_approval',
    removes: 'the index, one_live_attempt, and that an unknown outcome starts no other attempt',
    statements: ['drop index one_live_attempt', 'drop index one_approval'],
    patches: [cascadeOnUnknown],
  },
  {
    name: 'one_open_operation',
    removes: 'the index, and that a capture is refused while another is under way',
    statements: ['drop index one_open_operation'],
    patches: [
      {
        file: 'domains/payments/service/held.ts',
        from: "    requireStep(before, 'capture')\n",
        to: "    if (before.status !== 'processing' || before.amountCapturable === 0n) requireStep(before, 'capture')\n",
      },
    ],
  },
  {
    name: 'one_open_refund',
    removes: 'the index, and that an unknown refund is not asked for again under another name',
    statements: ['drop index one_open_refund'],
    patches: [
      {
        file: 'domains/payments/service/record-refund.ts',
        from: "import * as refunds from '../store/refunds.ts'\n",
        to: `import * as refunds from '../store/refunds.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import * as operations from '../store/operations.ts'
import { nextNumber } from './intend.ts'
`,
      },
      {
        file: 'domains/payments/service/record-refund.ts',
        from: '  // One that goes again has not failed yet.\n',
        to: `  if (status === 'unknown' && seen.checked !== true) {
    const number = await nextNumber(tx, payment.id)
    const more = { number, leaseUntil: addSeconds(tx.now, 70), completeBeforeAt: null }
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
    removes: 'the check, and that a capture takes from what can be captured',
    statements: [dropCheck('holds_at_most_its_amount')],
    patches: [
      {
        file: 'domains/payments/service/move.ts',
        from: 'amountCapturable: operation.final ? 0n : left,',
        to: 'amountCapturable: operation.final ? 0n : payment.amountCapturable,',
      },
    ],
  },
  {
    name: 'refunds_at_most_what_it_took',
    removes: 'the check, and that a refund over what is left is refused',
    statements: [dropCheck('refunds_at_most_what_it_took')],
    patches: [
      {
        file: 'domains/payments/service/held.ts',
        from: 'if (amount > left || amount === 0n) refuseMember',
        to: 'if (amount === 0n) refuseMember',
      },
    ],
  },
  {
    name: 'failed_holds_nothing',
    removes: 'the check, and that a void lets go of what was held',
    statements: [dropCheck('failed_holds_nothing')],
    patches: [
      {
        file: 'domains/payments/machine.ts',
        from: "on: 'voided',                              to: 'cancelled',        effects: ['let_go']      },",
        to: "on: 'voided',                              to: 'cancelled',        effects: []              },",
      },
    ],
  },
  {
    name: 'succeeded_took_something',
    removes: 'the check, and that a capture counts what it took',
    statements: [dropCheck('succeeded_took_something')],
    patches: [
      {
        file: 'domains/payments/machine.ts',
        from: "when: allTaken,     to: 'succeeded',        effects: ['take']        },",
        to: "when: allTaken,     to: 'succeeded',        effects: []              },",
      },
    ],
  },
]

const codeMutants: readonly Mutant[] = [
  {
    name: 'version of payments',
    removes:
      'the version in updates of payments, the lock of the row, and the trigger that asks for an event',
    statements: ['drop trigger payments_change_is_told on payments'],
    patches: [
      noLock,
      {
        file: 'domains/payments/store/payments.ts',
        from: "    .where('version', '=', before.version)\n",
        to: '',
      },
    ],
  },
  {
    name: 'version of operations',
    removes: 'version and status in updates of operations, and the lock of the payment',
    patches: [
      noLock,
      {
        file: 'domains/payments/store/operations.ts',
        from: "    .where('version', '=', before.version)\n    .where('status', 'in', openStatuses)\n",
        to: '',
      },
    ],
  },
  {
    name: 'write before send',
    removes: 'the commit before the call, and the guard against calls inside a unit of work',
    patches: [
      {
        file: 'domains/payments/service/create.ts',
        from: '  const begun = await beginRequest(deps, caller, order)\n',
        to: `  const begun = await beginRequest(deps, caller, async (tx) => {
    const progress = await order(tx)
    if (progress.next !== null)
      early.set(progress.next.id, await perform(deps, caller, progress.next, startedMs, progress.payment, tx))
    return progress
  })
`,
      },
      {
        file: 'domains/payments/service/create.ts',
        from: 'type Drive = {',
        to: 'const early = new Map<string, Seen>()\ntype Drive = {',
      },
      {
        file: 'domains/payments/service/create.ts',
        from: 'const performing = perform(deps, caller, operation, sinceMs, reached.payment)',
        to: `const told = early.get(operation.id)
    const performing = told === undefined ? perform(deps, caller, operation, sinceMs, reached.payment) : Promise.resolve(told)`,
      },
      {
        file: 'domains/payments/service/perform.ts',
        from: '): Promise<Seen> {\n  const story = await storyOf(deps, caller, operation, known)\n',
        to: '  tx?: any,\n): Promise<Seen> {\n  const story = await storyOf(deps, caller, operation, known, tx)\n',
      },
      {
        file: 'domains/payments/service/perform.ts',
        from: '): Promise<Story> {\n',
        to: '  tx?: any,\n): Promise<Story> {\n',
      },
      {
        file: 'domains/payments/service/perform.ts',
        from: '  return read(deps, caller, async (view) => {\n    const payment = known',
        to: `  const inside: typeof read = tx === undefined ? read : (_deps, _caller, body) => body(tx)
  return inside(deps, caller, async (view) => {
    const payment = known`,
      },
      {
        file: 'platform/db/open-unit.ts',
        from: "  assert(openUnit.getStore() === undefined, 'A unit of work cannot nest. Pass its tx on instead.')\n",
        to: '',
      },
      {
        file: 'platform/db/open-unit.ts',
        from: "  assert(!unit.calledOut, 'An HTTP call was made inside a transaction. Intend, commit, call, then record.')\n",
        to: '',
      },
    ],
  },
  {
    name: 'unknown blocks',
    removes: 'that an unknown outcome is not taken for a failure',
    patches: [
      {
        file: 'domains/payments/decide.ts',
        from: unknownEnd,
        to: "  return dead(facts, 'not_processed', 'failed', { code: 'provider_error' })\n}",
      },
    ],
  },
  {
    name: 'lease before sending',
    removes: 'that nothing is sent after its lease',
    patches: [
      {
        file: 'providers/perform.ts',
        from: 'timeoutMs: Math.min(deadlineMs - monotonicMs(), isRead ? readMs : moneyMs),',
        to: 'timeoutMs: isRead ? readMs : moneyMs,',
      },
    ],
  },
  {
    name: 'sender after its lease',
    removes: 'that a first sender who comes back after the resolver proves nothing',
    patches: [
      {
        file: 'domains/payments/service/record.ts',
        from: 'const seen = asTakenOver(operation, heard)',
        to: 'const seen = heard',
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
        file: 'platform/db/begin-unit.ts',
        from: '  if (scope !== null) settleClaim(caller, first.claimed === true, kept)\n',
        to: '',
      },
    ],
  },
  {
    name: 'another amount',
    removes: 'that an approval of another amount is no approval',
    patches: [
      {
        file: 'providers/perform.ts',
        from: 'differs: differsFrom(input.money, outcome) }',
        to: 'differs: differsFrom(input.money, outcome) && false }',
      },
    ],
  },
]

const routeMutants: readonly Mutant[] = [
  {
    name: 'published revision',
    removes: 'that a payment is made by the revision that is published',
    patches: [
      {
        file: 'domains/payment-routes/service/decide.ts',
        from: 'pinnedRoute(deps, view, route.id, route.revision)',
        to: 'pinnedRoute(deps, view, route.id, Math.max(1, route.revision - 1))',
      },
    ],
  },
  {
    name: 'pinned revision',
    removes: 'that a payment keeps to its revision when another account is asked',
    patches: [
      {
        file: 'domains/payments/service/intend.ts',
        from: 'await pinnedRoute(deps, tx, payment.paymentRouteId, payment.routeRevision)',
        to: 'await routeFor(deps, tx, payment.paymentRouteId)',
      },
    ],
  },
  {
    name: 'failing is asked last',
    removes: 'that an account whose breaker is open is asked last',
    patches: [
      {
        file: 'domains/payment-routes/choose.ts',
        from: '  return open.size === 0\n',
        to: '  return open.size >= 0\n',
      },
    ],
  },
  {
    name: 'rule of the route',
    removes: 'that a rule that matches decides before the default',
    patches: [
      {
        file: 'domains/payment-routes/choose.ts',
        from: 'if (result === matched) return { rules: seen',
        to: "if (result === matched && rule.then.type !== 'decline') return { rules: seen",
      },
    ],
  },
  {
    name: 'network slot',
    removes: 'that a card is tried no more often than its network allows',
    patches: [
      {
        file: 'domains/card-budgets/service.ts',
        from: "  if (!verdict.ok) await store.endAttempt(tx, slot.attemptId, { result: 'refused' })\n  return verdict\n",
        to: '  return verdict.ok ? verdict : { ok: true }\n',
      },
    ],
  },
  {
    name: 'limit of a day',
    removes: 'that what a merchant asks for by itself is declined at most four times a day',
    patches: [
      {
        file: 'domains/card-budgets/network-rules.ts',
        from: "{ ...perAmount, id: 'ours_day',              network: 'all',        limit: 4, ",
        to: "{ ...perAmount, id: 'ours_day',              network: 'all',        limit: 40, ",
      },
    ],
  },
  {
    name: 'card that is barred',
    removes: 'that a card that never will be approved is not tried again',
    patches: [
      {
        file: 'domains/card-budgets/service.ts',
        from: '  if (bar !== null) await store.barCard(tx, slot.cardKey, bar)\n',
        to: '',
      },
    ],
  },
]

export const mutants: readonly Mutant[] = [...schemaMutants, ...codeMutants, ...routeMutants]
