/**
 * The control API for tests, under /control. It is not part of the protocol: a real provider has no such API.
 */
import { randomUUID } from 'node:crypto'
import type { Config } from './config.ts'
import { invalidMembers } from './config.ts'
import { changeDispute, openDispute } from './disputes.ts'
import type { Reply } from './faults.ts'
import type { IncomingCall } from './incoming.ts'
import { type MoneyFact, sumsByPayment } from './ledger.ts'
import { problemOf } from './money.ts'
import { isObject } from './protocol.ts'
import { errorReply } from './records.ts'
import { returnDebit } from './returns.ts'
import { type AccountContext, finishOperation } from './run-operation.ts'
import {
  type Account,
  findOrCreateAccount,
  type Operation,
  resetAccount,
  type SimulatorState,
} from './simulator-state.ts'
import { planTaxFaults, taxLedger } from './tax/serve.ts'
import { vaultFaults } from './vaults/vault-state.ts'

type Members = { readonly [name: string]: unknown }
type ControlRequest = { readonly body: Members; readonly query: URLSearchParams }
type Control = (context: AccountContext, request: ControlRequest) => Reply | Promise<Reply>

const controls: { readonly [call: string]: Control } = {
  'GET ledger': ({ account }) => ok({ facts: account.ledger.facts() }),
  'GET sums': ({ account }, { query }) => ok({ sums: sumLedgers([account], query) }),
  'GET calls': ({ account }) => ok({ calls: account.calls }),
  'GET config': ({ account }) => ok(account.config),
  'PUT config': configure,
  'POST reset': ({ state, account }) => {
    resetAccount(state, account)
    return ok({})
  },
  'POST webhooks/flush': async ({ account }) => ok({ waiting: await account.outbox.flush() }),
  'POST refunds': refundAtProvider,
  'POST returns': (context, { body }) => returnDebit(context, body),
  'POST disputes': (context, { body }) => openDispute(context, body),
  'PUT disputes': (context, { body }) => changeDispute(context, body),
  'POST cut': cutNextResponse,
}

/** A call of the control API. The first segment of its path is `control`. */
export type ControlCall = Pick<IncomingCall, 'method' | 'segments' | 'query' | 'bytes' | 'body'>

export function control(state: SimulatorState, call: ControlCall): Reply | Promise<Reply> {
  const { method, segments, query, bytes } = call
  const body = bytes.length === 0 ? {} : call.body
  if (!isObject(body)) return errorReply(400, 'invalid', 'The body is not a JSON object.')
  const [, name = '', ...rest] = segments
  const request = { query, body }
  if (rest.length === 0) return controlAllAccounts(state, `${method} ${name}`, request)
  const handler = controls[`${method} ${rest.join('/')}`]
  if (handler === undefined || !isAccountName(name)) return unknownCall
  return handler({ state, account: findOrCreateAccount(state, name) }, request)
}

/** Calls for all accounts together: the clock, and sums over all ledgers. */
async function controlAllAccounts(
  state: SimulatorState,
  call: string,
  { body, query }: ControlRequest,
): Promise<Reply> {
  if (call === 'GET sums') return ok({ sums: sumLedgers([...state.accounts.values()], query) })
  if (call === 'PUT vault-faults') return planVaultFaults(state, body)
  if (call === 'GET vault-calls') return ok({ calls: state.vaults.calls })
  if (call.endsWith(' tax-faults') || call.endsWith(' tax-ledger'))
    return controlTaxes(state, call, { body, query })
  if (call !== 'POST time') return unknownCall
  if (body.reset === true) return state.clock.reset() ? ok({ now: timeOf(state) }) : tasksScheduled
  const { advance_ms: ms } = body
  if (typeof ms !== 'number' || !(ms >= 0))
    return errorReply(400, 'invalid', 'advance_ms must be a number of at least 0.')
  await state.clock.advance(ms)
  return ok({ now: timeOf(state) })
}

/** Plans faults of tax providers, or returns what they have recorded. */
function controlTaxes({ taxes }: SimulatorState, call: string, { body, query }: ControlRequest): Reply {
  if (call === 'GET tax-ledger') return ok(taxLedger(taxes, query.get('account')))
  const planned = call === 'PUT tax-faults' ? planTaxFaults(taxes, body) : null
  return planned === null ? errorReply(400, 'invalid', 'The planned faults are invalid.') : ok(planned)
}

/**
 * Sets the faults of the next calls that the vaults forward, one per call. Null means no fault. Faults that
 * were set before and not used yet are removed.
 */
function planVaultFaults({ vaults }: SimulatorState, { faults }: Members): Reply {
  const known: readonly unknown[] = [...vaultFaults, null]
  if (!Array.isArray(faults) || !faults.every((fault) => known.includes(fault)))
    return errorReply(400, 'invalid', `faults must be a list of null and ${vaultFaults.join(', ')}.`)
  vaults.faults.splice(0, vaults.faults.length, ...faults)
  return ok({})
}

const tasksScheduled = errorReply(
  409,
  'tasks_scheduled',
  'Tasks are still scheduled: advance the clock first.',
)

function timeOf({ clock }: SimulatorState): string {
  return new Date(clock.now()).toISOString()
}

export function isAccountName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(name) && name !== 'control' && name !== 'vaults' && name !== 'tax'
}

/** Changes the given members only. */
function configure({ account }: AccountContext, { body }: ControlRequest): Reply {
  const invalid = invalidMembers(body)
  if (invalid.length > 0)
    return errorReply(400, 'invalid', `Unknown or invalid members: ${invalid.join(', ')}.`)
  account.config = { ...account.config, ...(body as Partial<Config>) }
  return ok(account.config)
}

function sumLedgers(accounts: readonly Account[], query: URLSearchParams) {
  const payment = query.get('payment_id')
  const factsOf = ({ ledger }: Account): readonly MoneyFact[] =>
    payment === null ? ledger.facts() : ledger.factsOfPayment(payment)
  return sumsByPayment(accounts.flatMap(factsOf))
}

/** Truncates the response to the next call that is not a GET. Only for accounts that emulate a provider. */
function cutNextResponse({ account }: AccountContext, { body }: ControlRequest): Reply {
  const { after_bytes: bytes } = body
  if (!Number.isSafeInteger(bytes) || (bytes as number) < 0)
    return errorReply(400, 'invalid', 'after_bytes must be an integer of at least 0.')
  account.cutAfterBytes = bytes as number
  return ok({})
}

/** Simulates a refund made at the provider, outside of Switchyard. It sends `refund.created`. */
async function refundAtProvider(context: AccountContext, { body }: ControlRequest): Promise<Reply> {
  const { state, account } = context
  const { parent_reference: parent, amount } = body
  const charge = typeof parent === 'string' ? account.operations.get(parent) : undefined
  if (charge?.request == null || !Number.isSafeInteger(amount) || (amount as number) <= 0) {
    return errorReply(
      400,
      'invalid',
      'A refund requires the parent_reference of a charge and a positive amount.',
    )
  }
  const reference = `refund-${randomUUID()}`
  const refundRequest = {
    ...charge.request,
    reference,
    kind: 'refund',
    parent_reference: charge.reference,
    amount: amount as number,
  } as const
  const operation: Operation = {
    ...charge,
    reference,
    request: refundRequest,
    record: null,
    fingerprint: null,
  }
  const error = problemOf(account, operation)
  if (error !== null) return errorReply(422, error.code, error.message)
  const record = finishOperation(context, operation, { type: 'approve' })
  await state.journal.durable()
  await account.outbox.send('refund.created', { ...record, parent_reference: charge.reference })
  return ok(record)
}

const unknownCall = errorReply(404, 'not_found', 'Unknown control call.')

function ok(body: object): Reply {
  return { status: 200, body }
}
