/**
 * The state of the process: its accounts and their operations. An operation and the money it moved are written as one
 * line of the journal, so that after a crash both exist or neither.
 */
import type { Clock } from './clock.ts'
import { type Config, defaultConfig } from './config.ts'
import type { Dialect, DialectName } from './dialects/dialect.ts'
import type { Journal } from './journal.ts'
import { type Ledger, type MoneyFact, newLedger } from './ledger.ts'
import { type OperationRecord, type OperationRequest, usesCard } from './protocol.ts'
import type { PresetResult, Verdict } from './scenarios.ts'
import { createTaxState, type TaxState } from './tax/tax-state.ts'
import { createVaultState, type VaultState } from './vaults/vault-state.ts'
import { newOutbox, type Outbox } from './webhooks.ts'

/** The payer returns with `secret`, which proves that the payer visited the page. */
export type Challenge = {
  readonly presetResult: PresetResult
  readonly secret: string
  /** The form field with which the page must be opened; null if it is opened with a redirect. */
  readonly formSecret: string | null
  readonly result: 'passed' | 'failed' | 'left' | null
}

/** The stored request, without card number and security code. */
export type StoredRequest = Omit<OperationRequest, 'instrument'>

export type Operation = {
  readonly reference: string
  /** Null if the operation was closed before a request was received. */
  readonly request: StoredRequest | null
  /** The hash of the request. */
  readonly fingerprint: string | null
  /** The scenario of the card, also stored with its token. `scenario` is the scenario of this operation. */
  readonly card: string
  readonly scenario: string
  /** Identifies the script that selected the scenario. */
  readonly script: string | null
  /** When the request was first received. Missing in journals of earlier versions. */
  readonly created_at?: string
  /** How many times the request was received. */
  readonly puts: number
  /** Null if the request was received but not executed. */
  readonly record: OperationRecord | null
  /** The time after which lookups find the operation. */
  readonly visible_at: number
  readonly challenge: Challenge | null
  /** The scheduled decision. Closing the operation cancels it. */
  readonly decision: { readonly at: number; readonly verdict: Verdict } | null
}

export type Account = {
  readonly name: string
  config: Config
  readonly operations: Map<string, Operation>
  /** The scenario of each stored card, by token. */
  readonly tokens: Map<string, string>
  readonly ledger: Ledger
  readonly outbox: Outbox
  readonly calls: Call[]
  /** Objects of a dialect that are not operations, such as customers, by a key that the dialect chooses. */
  readonly objects: Map<string, object>
  /** The response to the next call that is not a GET is truncated after this many bytes; null: not truncated. */
  cutAfterBytes: number | null
}

/** A received request, without card number and security code. */
export type Call = {
  readonly at: string
  readonly method: string
  readonly path: string
  readonly idempotency_key: string | null
  readonly signature: 'valid' | 'invalid'
  readonly body: unknown
  /** Status and response mode, such as `200 silence`; null before the response. */
  answer: string | null
}

type OperationEntry = {
  readonly account: string
  readonly operation: Operation
  readonly fact: MoneyFact | null
}

export type JournalEntry =
  | OperationEntry
  /** `forgotten` is a deleted token. */
  | { readonly account: string; readonly forgotten: string }
  | { readonly account: string; readonly key: string; readonly object: object }
  | { readonly account: string; readonly returned: MoneyFact }
  | { readonly account: string; readonly reset: true }

export type Dialects = { readonly [Name in DialectName]?: Dialect }

export type SimulatorState = {
  readonly clock: Clock
  readonly dialects: Dialects
  /** Replaces the origin of every `webhook_url`; null leaves it unchanged. */
  readonly webhookOrigin: string | null
  readonly journal: Journal<JournalEntry>
  readonly accounts: Map<string, Account>
  /** The account that received each payment first. */
  readonly firstAccounts: Map<string, string>
  /** How many steps of each script were used, across all accounts. */
  readonly scriptSteps: Map<string, number>
  readonly vaults: VaultState
  readonly taxes: TaxState
}

export function createSimulatorState(
  parts: Pick<SimulatorState, 'clock' | 'journal' | 'webhookOrigin' | 'dialects'>,
): SimulatorState {
  return {
    ...parts,
    accounts: new Map(),
    firstAccounts: new Map(),
    scriptSteps: new Map(),
    vaults: createVaultState(),
    taxes: createTaxState(),
  }
}

export function findOrCreateAccount(state: SimulatorState, name: string): Account {
  const existing = state.accounts.get(name)
  if (existing !== undefined) return existing
  const account: Account = {
    name,
    config: defaultConfig,
    operations: new Map(),
    tokens: new Map(),
    ledger: newLedger(),
    outbox: newOutbox(state, () => account),
    calls: [],
    objects: new Map(),
    cutAfterBytes: null,
  }
  state.accounts.set(name, account)
  return account
}

/** The only way to persist a change of an operation. Send the response after the journal is durable. */
export function saveOperation(
  state: SimulatorState,
  account: Account,
  operation: Operation,
  fact: MoneyFact | null,
): void {
  commit(state, { account: account.name, operation, fact })
}

export function deleteToken(state: SimulatorState, account: Account, token: string): void {
  if (account.tokens.has(token)) commit(state, { account: account.name, forgotten: token })
}

export function findObject(account: Account, key: string): object | undefined {
  return account.objects.get(key)
}

export function saveObject(state: SimulatorState, account: Account, key: string, object: object): void {
  commit(state, { account: account.name, key, object })
}

/** Records the return of a debit, which is not an operation of the merchant. */
export function saveReturn(state: SimulatorState, account: Account, returned: MoneyFact): void {
  commit(state, { account: account.name, returned })
}

export function resetAccount(state: SimulatorState, account: Account): void {
  commit(state, { account: account.name, reset: true })
}

function commit(state: SimulatorState, entry: JournalEntry): void {
  state.journal.append(entry)
  apply(state, entry)
}

/** Applies an entry to the state, when it is written and when the journal is replayed. */
export function apply(state: SimulatorState, entry: JournalEntry): void {
  const account = findOrCreateAccount(state, entry.account)
  if ('reset' in entry) clear(state, account)
  else if ('forgotten' in entry) account.tokens.delete(entry.forgotten)
  else if ('returned' in entry) account.ledger.add(entry.returned)
  else if ('object' in entry) account.objects.set(entry.key, entry.object)
  else applyOperation(state, account, entry)
}

function applyOperation(state: SimulatorState, account: Account, { operation, fact }: OperationEntry): void {
  recordNewOperation(state, account, operation)
  account.operations.set(operation.reference, operation)
  if (operation.record?.token !== undefined) account.tokens.set(operation.record.token, operation.card)
  if (fact !== null) account.ledger.add(fact)
}

/** Records a new operation: which account received its payment first, and which step of a script it used. */
export function recordNewOperation(
  state: SimulatorState,
  account: Account,
  { reference, request, script }: Operation,
): void {
  if (account.operations.has(reference) || request === null || !usesCard(request.kind)) return
  const payment = request.payment_id
  if (!state.firstAccounts.has(payment)) state.firstAccounts.set(payment, account.name)
  if (script !== null) state.scriptSteps.set(script, (state.scriptSteps.get(script) ?? 0) + 1)
}

function clear(state: SimulatorState, account: Account): void {
  for (const [payment, name] of state.firstAccounts) {
    if (name === account.name) state.firstAccounts.delete(payment)
  }
  account.operations.clear()
  account.tokens.clear()
  account.ledger.clear()
  account.outbox.clear()
  account.calls.length = 0
  account.objects.clear()
}
