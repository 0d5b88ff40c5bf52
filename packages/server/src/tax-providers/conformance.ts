/**
 * Offline checks that every tax provider must pass with its fixtures. A provider that misreads a response could put the
 * wrong tax on an invoice, or record it twice, so most checks use inconclusive responses.
 */
import { isDeepStrictEqual } from 'node:util'
import type { TaxDocument, TaxInput, TaxReversal } from '../kernel/tax-quotes.ts'
import type { HttpCall, HttpReply } from '../providers/contract.ts'
import type { LinesInput, TaxConfig, TaxContext, TaxProvider, TaxStep } from './contract.ts'

export type TaxStepName = 'quote' | 'commit' | 'reverse' | 'check' | 'quote lines' | 'record lines'

export type TaxKit = {
  readonly config: TaxConfig
  readonly now: Date
  readonly quote: { readonly input: TaxInput }
  readonly commit: TaxDocument
  readonly reverse: TaxReversal
  readonly lines?: { readonly quote: LinesInput; readonly record: LinesInput }
  /** Golden calls: one for every step. */
  readonly calls: readonly { readonly step: TaxStepName; readonly call: HttpCall }[]
  /** Known responses, and the expected interpretation of each. */
  readonly replies: readonly {
    readonly name: string
    readonly step: TaxStepName
    readonly reply: HttpReply
    readonly expected: unknown
    readonly source: string
  }[]
}

export type TaxCheck = { readonly name: string; fault(): string | null }

type AnyStep = TaxStep<unknown, object>

export function conformanceOfTax(provider: TaxProvider, kit: TaxKit): readonly TaxCheck[] {
  const names = (['quote', 'commit', 'reverse', 'check', 'quote lines', 'record lines'] as const).filter(
    (name) => stepOf(provider, name) !== null,
  )
  return [
    ...kit.replies.map(({ name, step, reply, expected }) => ({
      name: `${step}: ${name}`,
      fault: () => differenceOf(interpret(provider, kit, step, reply), expected),
    })),
    ...names.flatMap((name) => checksOfStep(provider, kit, name)),
    ...(['quote', 'commit', 'reverse'] as const).flatMap((name) => checksOfGuesses(provider, kit, name)),
  ]
}

/** `threw` if the provider cannot read the response. The core treats it as unknown. */
export function interpret(provider: TaxProvider, kit: TaxKit, name: TaxStepName, reply: HttpReply): object {
  try {
    return (stepOf(provider, name) as AnyStep).parse(reply, inputOf(kit, name))
  } catch {
    return { is: 'threw' }
  }
}

function stepOf(provider: TaxProvider, name: TaxStepName): AnyStep | null {
  const step =
    name === 'quote lines'
      ? provider.lines?.quote
      : name === 'record lines'
        ? provider.lines?.record
        : provider[name]
  return (step ?? null) as AnyStep | null
}

function inputOf(kit: TaxKit, name: TaxStepName): unknown {
  if (name === 'check') return null
  if (name === 'quote lines') return kit.lines?.quote
  return name === 'record lines' ? kit.lines?.record : kit[name]
}

function build(
  provider: TaxProvider,
  kit: TaxKit,
  name: TaxStepName,
  context: Partial<TaxContext> = {},
): HttpCall {
  const whole = { config: kit.config, mode: 'test', now: kit.now, ...context } as const
  return (stepOf(provider, name) as AnyStep).build(inputOf(kit, name), whole)
}

function checksOfStep(provider: TaxProvider, kit: TaxKit, name: TaxStepName): TaxCheck[] {
  const secrets = provider.fields
    .filter(({ isSecret }) => isSecret)
    .map((field) => kit.config[field.name] ?? '')
  return [
    {
      name: `${name} builds the golden call`,
      fault() {
        const golden = kit.calls.find(({ step }) => step === name)
        return golden === undefined
          ? 'There is no golden call.'
          : differenceOf(build(provider, kit, name), golden.call)
      },
    },
    {
      name: `${name} builds an identical call when it is repeated`,
      fault() {
        const later = name === 'quote' ? kit.now : new Date(kit.now.getTime() + 86_400_000)
        return differenceOf(build(provider, kit, name, { now: later }), build(provider, kit, name))
      },
    },
    {
      name: `${name} sends secrets in headers only, with TLS, and to the emulator if it is emulated`,
      fault() {
        const { url, body } = build(provider, kit, name)
        const emulated = build(provider, kit, name, {
          config: { ...kit.config, emulator_url: 'http://127.0.0.1:1/tax' },
        })
        if (secrets.some((secret) => secret !== '' && `${url}${body}`.includes(secret)))
          return 'A secret is sent.'
        if (!url.startsWith('https://')) return `${url} has no TLS.`
        return emulated.url.startsWith('http://127.0.0.1:1/tax/')
          ? null
          : `${emulated.url} is not the emulator.`
      },
    },
  ]
}

const unavailable = [429, 500, 502, 503, 504]
const unreadable = ['', 'null', '{}', '[]', '<!doctype html>', '{"object":"tax.calculation"', '{"lines":[]}']

function checksOfGuesses(
  provider: TaxProvider,
  kit: TaxKit,
  name: 'quote' | 'commit' | 'reverse',
): TaxCheck[] {
  const isOf = (reply: HttpReply) => (interpret(provider, kit, name, reply) as { is?: string }).is
  const known = kit.replies.find(({ step, expected }) => step === name && isConclusive(expected))?.reply
  return [
    {
      name: `${name}: server errors and rate limits are unknown`,
      fault: () => firstOf(unavailable, (status) => isOf({ status, headers: {}, body: '{}' }) !== 'unknown'),
    },
    {
      name: `${name}: rejected credentials are a fault that the merchant has to correct`,
      fault: () => firstOf([401, 403], (status) => isOf({ status, headers: {}, body: '{}' }) !== 'rejected'),
    },
    {
      name: `${name}: a response that cannot be read is inconclusive`,
      fault: () =>
        firstOf(unreadable, (body) => isConclusive({ is: isOf({ status: 200, headers: {}, body }) })),
    },
    {
      name: `${name}: a truncated response is inconclusive`,
      fault() {
        if (known === undefined) return 'There is no known success.'
        const lengths = Array.from({ length: 40 }, (_, index) => Math.floor((known.body.length * index) / 40))
        return firstOf(lengths, (length) =>
          isConclusive({ is: isOf({ ...known, body: known.body.slice(0, length) }) }),
        )
      },
    },
    {
      name: `${name}: a response about a different object is inconclusive`,
      fault() {
        if (known === undefined) return 'There is no known success.'
        const references =
          name === 'quote' ? kit.quote.input.lines.map((line) => line.reference) : [kit[name].reference]
        return firstOf(references, (reference) =>
          isConclusive({ is: isOf({ ...known, body: known.body.replaceAll(reference, `${reference}0`) }) }),
        )
      },
    },
  ]
}

function isConclusive(outcome: unknown): boolean {
  const { is } = outcome as { is?: string | undefined }
  return is === 'quoted' || is === 'recorded'
}

function firstOf<T>(values: readonly T[], isWrong: (value: T) => boolean): string | null {
  const wrong = values.find(isWrong)
  return wrong === undefined ? null : `Wrong for ${JSON.stringify(wrong)}.`
}

function differenceOf(actual: unknown, expected: unknown): string | null {
  return isDeepStrictEqual(actual, expected)
    ? null
    : `Expected ${JSON.stringify(expected)}, but got ${JSON.stringify(actual)}.`
}
