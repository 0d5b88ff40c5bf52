/**
 * Asks a running provider as the core would, with operations that are nobody's. What is found wrong is thrown as
 * a sentence for its developer.
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
import { closedOrFound, lookedUp, outcomeIn } from '../answer.ts'
import { type Context, closeOperation, getOperation, putOperation } from '../request.ts'
import type { Manifest } from '../wire.ts'

export class Broken extends Error {
  override name = 'Broken'
}

/** Says what is wrong, if it is. */
export function expect(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Broken(sentence)
}

export type ProbeSettings = {
  readonly sender: Sender
  readonly baseUrl: string
  readonly secret: string
  readonly mode: Mode
  /** A card that they approve. Without one, nothing is asked that could move money. */
  readonly instrument: Instrument | null
  readonly time: () => Date
  readonly wait: (ms: number) => Promise<void>
}

const limits = { timeoutMs: 65_000, maxAnswerBytes: 256 * 1024, maxConnections: 8, mayRepeat: false }
const maxLooks = 20

export async function send({ sender, mode }: ProbeSettings, call: HttpCall): Promise<HttpReply> {
  const reply = await sender.send({ ...call, ...limits, mode, pool: 'provider check' })
  expect(reply.is === 'answered', `${call.method} ${new URL(call.url).pathname} had no answer.`)
  return { status: reply.status, headers: reply.headers, body: reply.body }
}

export function contextOf({ baseUrl, secret, time }: ProbeSettings): Context {
  return { config: { base_url: baseUrl, secrets: [secret] }, now: time() }
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

  /** One that nobody has seen. */
  newOperation(changes: Partial<OperationInput> = {}): OperationInput {
    this.#operations += 1
    return {
      kind: 'authorize',
      reference: `check-${this.#run}-${this.#operations}`,
      parent: null,
      mode: this.settings.mode,
      money: this.money(),
      capture: true,
      initiator: 'customer',
      storedCredential: { use: 'none', networkTransactionId: null },
      instrument: this.settings.instrument,
      paymentId: `check-${this.#run}`,
      returnUrl: 'https://example.com/return',
      threeDSecure: 'auto',
      customer: null,
      billing: null,
      statementDescriptor: null,
      description: 'A check of the protocol',
      metadata: {},
      ...changes,
    }
  }

  /** Of what is done to another operation. */
  following(first: OperationInput, kind: OperationInput['kind'], money: Money = first.money): OperationInput {
    const parent = { reference: first.reference, providerReference: null }
    return this.newOperation({ kind, parent, money, capture: false, instrument: null, returnUrl: null })
  }

  /** An amount within their limits, in a currency of theirs. */
  money(currency = this.currencies()[0] ?? 'eur'): Money {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = this.manifest.capabilities.amount ?? {}
    return { amount: BigInt(Math.min(Math.max(1_234, min), max)), currency }
  }

  /** Those of two, none and three decimal places that they take. */
  currencies(): ('eur' | 'jpy' | 'kwd')[] {
    const { currencies } = this.manifest.capabilities
    const asked = ['eur', 'jpy', 'kwd'] as const
    return asked.filter((currency) => currencies === 'all' || currencies.includes(currency))
  }

  send(call: HttpCall): Promise<HttpReply> {
    return send(this.settings, call)
  }

  /** What became of it in the end. */
  async operate(input: OperationInput): Promise<Outcome> {
    const reply = await this.send(putOperation(input, this.context))
    const outcome = readable(reply, () => outcomeIn(reply, input))
    return (await this.settled(input, outcome)) as Outcome
  }

  async lookUp(input: OperationInput): Promise<Found> {
    const reply = await this.send(getOperation(input, this.context))
    return readable(reply, () => lookedUp(reply, { ...input, ...noName }))
  }

  async close(input: OperationInput): Promise<Found> {
    const reply = await this.send(closeOperation(input, this.context))
    return readable(reply, () => closedOrFound(reply, { ...input, ...noName }))
  }

  /** A success of exactly this, or it is broken. */
  async succeed(input: OperationInput): Promise<Extract<Outcome, { is: 'succeeded' }>> {
    const outcome = await this.operate(input)
    expect(outcome.is === 'succeeded', `The ${input.kind} of a card that is approved was ${told(outcome)}.`)
    expectMoney(outcome.money, input.money)
    return outcome
  }

  async settled(input: OperationInput, first: Found): Promise<Found> {
    let found = first
    for (let looks = 0; found.is === 'pending' && looks < maxLooks; looks += 1) {
      await this.settings.wait(Math.min(found.checkAfterMs ?? 250, 1_000))
      found = await this.lookUp(input)
    }
    expect(found.is !== 'pending', `It was still pending after ${maxLooks} looks.`)
    return found
  }
}

const noName = { providerReference: null }

export function told(found: Found): string {
  return 'fault' in found ? `${found.is} (${found.fault.message})` : found.is
}

function expectMoney(actual: Money, wanted: Money): void {
  const shown = ({ amount, currency }: Money) => `${amount} ${currency}`
  expect(
    actual.amount === wanted.amount && actual.currency === wanted.currency,
    `${shown(wanted)} were asked for, and the record says ${shown(actual)}.`,
  )
}

/** An answer that cannot be read is theirs to mend, with the reason why. */
function readable<T>(reply: HttpReply, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new Broken(`An answer with status ${reply.status} cannot be read. ${reason}`)
  }
}
