/**
 * Calls a running provider as the core would, with test operations. Violations are thrown with messages for
 * the developer of the provider.
 */
import { randomBytes } from 'node:crypto'
import type { Mode } from '../../../kernel/id.ts'
import type { Money } from '../../../kernel/money.ts'
import type {
  Found,
  HttpCall,
  HttpReply,
  Instrument,
  OperationInput,
  Outcome,
  Sender,
} from '../../contract.ts'
import { closedOrFound, foundByLookup, outcomeIn } from '../answer.ts'
import { type Context, closeOperation, getOperation, putOperation } from '../request.ts'
import type { Manifest } from '../wire.ts'

export class Violation extends Error {
  override name = 'Violation'
}

/** Throws the message if the condition is false. */
export function expect(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Violation(message)
}

export type ProbeSettings = {
  readonly sender: Sender
  readonly baseUrl: string
  readonly secret: string
  readonly mode: Mode
  /** A card that the provider approves. Without one, no operation that could move money is sent. */
  readonly instrument: Instrument | null
  readonly time: () => Date
  readonly wait: (ms: number) => Promise<void>
}

const limits = { timeoutMs: 65_000, maxResponseBytes: 256 * 1024, maxConnections: 8, allowResend: false }
const maxLookups = 20

export async function send({ sender, mode }: ProbeSettings, call: HttpCall): Promise<HttpReply> {
  const reply = await sender.send({ ...call, ...limits, mode, pool: 'provider check' })
  expect(reply.kind === 'answered', `${call.method} ${new URL(call.url).pathname} got no response.`)
  return { status: reply.status, headers: reply.headers, body: reply.body }
}

export function contextOf({ baseUrl, secret, time }: ProbeSettings): Context {
  return { config: { base_url: baseUrl, secrets: [secret] }, now: time(), accessToken: null }
}

export class Probe {
  readonly settings: ProbeSettings
  readonly manifest: Manifest
  readonly #run = randomBytes(8).toString('hex')
  #operations = 0

  constructor(settings: ProbeSettings, manifest: Manifest) {
    this.settings = settings
    this.manifest = manifest
  }

  get context(): Context {
    return contextOf(this.settings)
  }

  /** A new operation. */
  newOperation(changes: Partial<OperationInput> = {}): OperationInput {
    this.#operations += 1
    return {
      kind: 'authorize',
      reference: `check-${this.#run}-${this.#operations}`,
      parent: null,
      captures: [],
      mode: this.settings.mode,
      money: this.money(),
      capture: true,
      final: true,
      initiator: 'customer',
      storedCredential: { use: 'none', networkTransactionId: null },
      instrument: this.settings.instrument,
      paymentId: `check-${this.#run}`,
      returnUrl: 'https://example.com/return',
      threeDSecure: 'auto',
      customer: null,
      billing: null,
      device: null,
      statementDescriptor: null,
      description: 'A check of the protocol',
      metadata: {},
      ...changes,
    }
  }

  /** An operation on an earlier one. */
  following(first: OperationInput, kind: OperationInput['kind'], money: Money = first.money): OperationInput {
    const parent = { reference: first.reference, providerReference: null }
    return this.newOperation({ kind, parent, money, capture: false, instrument: null, returnUrl: null })
  }

  /** An amount within the limits of the provider, in one of its currencies. */
  money(currency = this.currencies()[0] ?? 'eur'): Money {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = this.manifest.capabilities.amount ?? {}
    return { amount: BigInt(Math.min(Math.max(1_234, min), max)), currency }
  }

  /** The currencies with two, zero and three decimal places that the provider supports. */
  currencies(): ('eur' | 'jpy' | 'kwd')[] {
    const { currencies } = this.manifest.capabilities
    const tested = ['eur', 'jpy', 'kwd'] as const
    return tested.filter((currency) => currencies === 'all' || currencies.includes(currency))
  }

  send(call: HttpCall): Promise<HttpReply> {
    return send(this.settings, call)
  }

  /** The final outcome of the operation. */
  async operate(input: OperationInput): Promise<Outcome> {
    const reply = await this.send(putOperation(input, this.context))
    const outcome = readable(reply, () => outcomeIn(reply, input))
    return (await this.waitUntilFinal(input, outcome)) as Outcome
  }

  async lookUp(input: OperationInput): Promise<Found> {
    const reply = await this.send(getOperation(input, this.context))
    return readable(reply, () => foundByLookup(reply, { ...input, ...lookupDefaults }))
  }

  async close(input: OperationInput): Promise<Found> {
    const reply = await this.send(closeOperation(input, this.context))
    return readable(reply, () => closedOrFound(reply, { ...input, ...lookupDefaults }))
  }

  /** Runs the operation, and requires that it succeeds with the requested amount. */
  async succeed(input: OperationInput): Promise<Extract<Outcome, { is: 'succeeded' }>> {
    const outcome = await this.operate(input)
    expect(
      outcome.is === 'succeeded',
      `${input.kind} with a test card that you approve was ${describeOutcome(outcome)}.`,
    )
    expectMoney(outcome.money, input.money)
    return outcome
  }

  async waitUntilFinal(input: OperationInput, first: Found): Promise<Found> {
    let found = first
    for (let lookups = 0; found.is === 'pending' && lookups < maxLookups; lookups += 1) {
      await this.settings.wait(Math.min(found.checkAfterMs ?? 250, 1_000))
      found = await this.lookUp(input)
    }
    expect(found.is !== 'pending', `The operation was still pending after ${maxLookups} lookups.`)
    return found
  }
}

export const lookupDefaults = { providerReference: null, createdAt: new Date(0) }

export function describeOutcome(found: Found): string {
  return 'fault' in found ? `${found.is} (${found.fault.message})` : found.is
}

function expectMoney(actual: Money, expected: Money): void {
  const format = ({ amount, currency }: Money) => `${amount} ${currency}`
  expect(
    actual.amount === expected.amount && actual.currency === expected.currency,
    `The request was for ${format(expected)}, but the record contains ${format(actual)}.`,
  )
}

/** An unreadable response is a violation, reported with the reason. */
function readable<T>(reply: HttpReply, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new Violation(`The response with status ${reply.status} is not valid. ${reason}`)
  }
}
