/**
 * What every provider must be, whoever wrote it: offline, from its fixtures. A provider that guesses charges
 * twice, so most of this looks for guesses. `checkProvider` beside it asks a business's own provider on the wire.
 */
import { isDeepStrictEqual } from 'node:util'
import { callRecord, requestHash, secretsIn } from './call-record.ts'
import {
  type CompleteInput,
  type Found,
  type HttpCall,
  type HttpReply,
  type IncomingCall,
  type LookupInput,
  type OperationInput,
  operationKinds,
  type Provider,
  type ProviderEvent,
} from './contract.ts'
import { type AnyStep, type StepName, stepOf } from './perform.ts'
import { faultOf } from './registry.ts'

export type Kit<Config> = {
  readonly config: Config
  readonly now: Date
  /** Golden calls: at least one for every step of the provider. */
  readonly calls: readonly {
    readonly name: string
    readonly step: StepName
    readonly input: OperationInput | CompleteInput | LookupInput
    readonly call: HttpCall
  }[]
  /** Answers as they are known to come, and what each means. */
  readonly replies: readonly Reply[]
  /** How they would approve exactly this. */
  approve(input: OperationInput): HttpReply
  readonly webhook: {
    /** As it comes with `config`, at `now`. */
    readonly call: IncomingCall
    readonly events: readonly ProviderEvent[]
    /** Settings whose secret it was not made with. */
    readonly stranger: Config
    /** Settings in the middle of a rotation: the older secret is the one it was made with. */
    readonly rotated: Config
  } | null
}

export type Reply = {
  readonly name: string
  readonly step: StepName
  readonly input: unknown
  readonly reply: HttpReply
  readonly means: Found
}

export type Check = { readonly name: string; fault(): string | null }

export function conformanceOf<Config>(provider: Provider<Config>, kit: Kit<Config>): readonly Check[] {
  const any = provider as Provider
  const checks: Check[] = [
    { name: 'it may be registered', fault: () => faultOf(any) },
    { name: 'every step has a golden call', fault: () => missingCalls(any, kit) },
    ...kit.calls.flatMap((golden) => checksOfCall(any, kit, golden)),
    ...kit.replies.map((reply) => ({
      name: `the answer "${reply.name}" is read as it is meant`,
      fault: () => unequal(readingOf(any, reply), reply.means),
    })),
    ...checksOfMoney(any, kit),
    ...(kit.webhook === null ? [] : checksOfWebhook(provider, kit, kit.webhook)),
  ]
  return checks.map(({ name, fault }) => ({ name, fault: () => orThrown(fault) }))
}

/** A provider that throws where it should not has failed the check, not the suite. */
function orThrown(fault: Check['fault']): string | null {
  try {
    return fault()
  } catch (error) {
    return String(error)
  }
}

/** What the core makes of an answer: throwing is unknown. */
export function readingOf(provider: Provider, { step, input, reply }: Omit<Reply, 'name' | 'means'>): Found {
  try {
    return stepOf(provider, step).parse(reply, input) as Found
  } catch {
    return { is: 'unknown', fault: { code: 'answer_unreadable', message: '' } }
  }
}

function missingCalls<Config>(provider: Provider, { calls }: Kit<Config>): string | null {
  const steps = [...operationKinds.filter((kind) => provider.operations[kind]), 'complete', 'lookup', 'close']
  const missing = steps.filter(
    (step) => (step in provider || step in provider.operations) && !calls.some((call) => call.step === step),
  )
  return missing.length === 0 ? null : `There is none for ${missing.join(', ')}.`
}

function checksOfCall<Config>(provider: Provider, kit: Kit<Config>, golden: Kit<Config>['calls'][number]) {
  const { name, step, input, call } = golden
  const build = (from: unknown, now: Date) =>
    (stepOf(provider, step) as AnyStep).build(deepFrozen(from), { config: deepFrozen(kit.config), now })
  const check = (promise: string, fault: Check['fault']): Check => ({ name: `${name}: ${promise}`, fault })
  const anHourLater = new Date(kit.now.getTime() + 3_600_000)
  return [
    check('the call is the golden one', () => unequal(build(input, kit.now), call)),
    check('the same bytes come from members in another order', () =>
      unequal(build(reversed(input), kit.now), call),
    ),
    check('a repeat an hour later is the same request', () => {
      const { headers: _, ...later } = build(input, anHourLater)
      const { headers: __, ...first } = call
      return unequal(later, first)
    }),
    check('the reference is in the call', () =>
      JSON.stringify(call).includes(input.reference) ? null : `${input.reference} is nowhere.`,
    ),
    check('what is kept of it holds no secret', () => leakIn(kit.config, golden)),
  ]
}

function leakIn<Config>(config: Config, { input, call }: { input: unknown; call: HttpCall }) {
  const secrets = secretsIn(input, config)
  const hash = requestHash(call, Buffer.alloc(32))
  const kept = JSON.stringify({ ...callRecord(call, { hash, reply: null, secrets }), requestHash: '' })
  const leaks = [...secrets.numbers, ...secrets.words].filter((secret) => kept.includes(secret))
  // The code of a card is short, and an address is no place for it at all.
  return leaks.length === 0 ? null : `${leaks.length} secrets are in the address of the call.`
}

/** Two, none and three decimal places; nothing, little and much. */
const sums = (['eur', 'jpy', 'kwd'] as const).flatMap((currency) =>
  [1n, 999n, 1000n, 123_456_789n, 999_999_999_999n].map((amount) => ({ amount, currency })),
)

function checksOfMoney<Config>(provider: Provider, kit: Kit<Config>): Check[] {
  const [golden] = kit.calls.filter(({ step }) => step === 'authorize')
  if (golden === undefined) return []
  const step = golden.step
  const input = golden.input as OperationInput
  const read = (approved: OperationInput) =>
    readingOf(provider, { step, input, reply: kit.approve(approved) })
  return [
    ...sums.map((money) => ({
      name: `${money.amount} ${money.currency} come back as they went`,
      fault: () => {
        const found = readingOf(provider, {
          step,
          input: { ...input, money },
          reply: kit.approve({ ...input, money }),
        })
        return found.is === 'succeeded' ? unequal(found.money, money) : `It is ${found.is}.`
      },
    })),
    {
      name: 'the approval of another reference approves nothing',
      fault: () => notUnknown(read({ ...input, reference: 'another-reference-1' })),
    },
    {
      name: 'the approval of another amount is told with that amount',
      fault: () => {
        const money = { amount: input.money.amount + 1n, currency: input.money.currency }
        const found = read({ ...input, money })
        return found.is === 'succeeded' ? unequal(found.money, money) : null
      },
    },
  ]
}

function checksOfWebhook<Config>(
  { webhooks }: Provider<Config>,
  { config, now }: Kit<Config>,
  { call, events, stranger, rotated }: NonNullable<Kit<Config>['webhook']>,
): Check[] {
  const verdict = (changes: Partial<IncomingCall>, settings = config, seconds = 0) =>
    webhooks?.verify(
      { ...call, ...changes },
      { config: settings, now: new Date(now.getTime() + seconds * 1000) },
    )
  const check = (name: string, wanted: 'valid' | 'invalid', get: () => string | undefined): Check => ({
    name: `a webhook ${name} is ${wanted}`,
    fault: () => unequal(get(), wanted),
  })
  const forged = Uint8Array.from(call.body, (byte, place) =>
    place === call.body.length - 3 ? byte ^ 1 : byte,
  )
  return [
    check('that is genuine', 'valid', () => verdict({})),
    check('while secrets rotate', 'valid', () => verdict({}, rotated)),
    check('with another body', 'invalid', () => verdict({ body: forged })),
    check('to another address', 'invalid', () => verdict({ path: `${call.path}0` })),
    check('by another secret', 'invalid', () => verdict({}, stranger)),
    check('that is late', 'invalid', () => verdict({}, config, 301)),
    check('of the future', 'invalid', () => verdict({}, config, -301)),
    check('without headers', 'invalid', () => verdict({ headers: {} })),
    { name: 'a webhook says what it means', fault: () => unequal(webhooks?.parse(call.body), events) },
  ]
}

function notUnknown(found: Found): string | null {
  return found.is === 'unknown' ? null : `It is ${found.is}.`
}

function unequal(actual: unknown, wanted: unknown): string | null {
  return isDeepStrictEqual(actual, wanted) ? null : `${shown(actual)} is not ${shown(wanted)}.`
}

function shown(value: unknown): string {
  return (
    JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member)) ?? 'nothing'
  )
}

/** The same members the other way round, as a database may give them back. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

/** Whoever changes what it was given throws. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) deepFrozen(member)
  return Object.freeze(value)
}
