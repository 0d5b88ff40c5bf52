/**
 * Everything one process knows: its accounts and their operations. An operation changes in one step, together
 * with the money it moved, as one line of the journal; so after a crash both are there, or neither is.
 */
import type { Clock } from './clock.ts'
import { type Config, defaultConfig } from './config.ts'
import type { Journal } from './journal.ts'
import { type Ledger, type MoneyFact, newLedger } from './ledger.ts'
import { type OperationRecord, type OperationRequest, usesCard } from './protocol.ts'
import type { ChallengeEnd, Verdict } from './scenarios.ts'
import { newOutbox, type Outbox } from './webhooks.ts'

/** `secret` travels with the payer, and shows that it is the page that sent them back. */
export type Challenge = {
  readonly ends: ChallengeEnd
  readonly secret: string
  readonly result: 'passed' | 'failed' | 'left' | null
}

/** What is kept of a request: no card number, no security code. */
export type KeptRequest = Omit<OperationRequest, 'instrument'>

export type Operation = {
  readonly reference: string
  /** Null: none came, it was closed before. */
  readonly request: KeptRequest | null
  /** The hash of the request. */
  readonly fingerprint: string | null
  /** The scenario of the card, which its token keeps, and the one that is played this time. */
  readonly card: string
  readonly scenario: string
  /** Names the script that gave the scenario. */
  readonly script: string | null
  /** How often it was sent. */
  readonly puts: number
  /** Null: it came, and nothing was done. */
  readonly record: OperationRecord | null
  /** From when on a look finds it. */
  readonly visible_at: number
  readonly challenge: Challenge | null
  /** What is decided later, unless it is closed before. */
  readonly decision: { readonly at: number; readonly verdict: Verdict } | null
}

export type Account = {
  readonly name: string
  config: Config
  readonly operations: Map<string, Operation>
  /** The scenario of each card that was kept. */
  readonly tokens: Map<string, string>
  readonly ledger: Ledger
  readonly outbox: Outbox
  readonly calls: Call[]
}

/** One request that came, without card numbers and codes. */
export type Call = {
  readonly at: string
  readonly method: string
  readonly path: string
  readonly idempotency_key: string | null
  readonly signature: 'valid' | 'invalid'
  readonly body: unknown
  /** Status and manner, such as `200 silence`; null as long as there is none. */
  answer: string | null
}

type OperationLine = {
  readonly account: string
  readonly operation: Operation
  readonly fact: MoneyFact | null
}

export type Line =
  | OperationLine
  | { readonly account: string; readonly forgotten: string }
  | { readonly account: string; readonly reset: true }

export type World = {
  readonly clock: Clock
  readonly journal: Journal<Line>
  readonly accounts: Map<string, Account>
  /** The account that saw a payment first. */
  readonly firstAccounts: Map<string, string>
  /** How many steps of each script were played, by all accounts together. */
  readonly scriptSteps: Map<string, number>
}

export function newWorld(clock: Clock, journal: Journal<Line>): World {
  return { clock, journal, accounts: new Map(), firstAccounts: new Map(), scriptSteps: new Map() }
}

export function accountNamed(world: World, name: string): Account {
  const known = world.accounts.get(name)
  if (known !== undefined) return known
  const account: Account = {
    name,
    config: defaultConfig,
    operations: new Map(),
    tokens: new Map(),
    ledger: newLedger(),
    outbox: newOutbox(world.clock, () => account.config),
    calls: [],
  }
  world.accounts.set(name, account)
  return account
}

/** The only way to change an operation for good. The answer may leave once the journal is durable. */
export function settle(world: World, account: Account, operation: Operation, fact: MoneyFact | null): void {
  commit(world, { account: account.name, operation, fact })
}

export function forgetToken(world: World, account: Account, token: string): void {
  if (account.tokens.has(token)) commit(world, { account: account.name, forgotten: token })
}

export function resetAccount(world: World, account: Account): void {
  commit(world, { account: account.name, reset: true })
}

function commit(world: World, line: Line): void {
  world.journal.append(line)
  apply(world, line)
}

/** What a line does to the world, now and when the journal is read again. */
export function apply(world: World, line: Line): void {
  const account = accountNamed(world, line.account)
  if ('reset' in line) clear(world, account)
  else if ('forgotten' in line) account.tokens.delete(line.forgotten)
  else applyOperation(world, account, line)
}

function applyOperation(world: World, account: Account, { operation, fact }: OperationLine): void {
  meet(world, account, operation)
  account.operations.set(operation.reference, operation)
  if (operation.record?.token !== undefined) account.tokens.set(operation.record.token, operation.card)
  if (fact !== null) account.ledger.add(fact)
}

/** Notes the first sight of an operation: which account had its payment first, which step of a script it took. */
export function meet(world: World, account: Account, { reference, request, script }: Operation): void {
  if (account.operations.has(reference) || request === null || !usesCard(request.kind)) return
  const payment = request.payment_id
  if (!world.firstAccounts.has(payment)) world.firstAccounts.set(payment, account.name)
  if (script !== null) world.scriptSteps.set(script, (world.scriptSteps.get(script) ?? 0) + 1)
}

function clear(world: World, account: Account): void {
  for (const [payment, name] of world.firstAccounts) {
    if (name === account.name) world.firstAccounts.delete(payment)
  }
  account.operations.clear()
  account.tokens.clear()
  account.ledger.clear()
  account.outbox.clear()
  account.calls.length = 0
}
