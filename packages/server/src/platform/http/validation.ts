/** What the validator says, as faults that a person can act on: where, which rule, and a sentence. */
import type { Fault } from '../../kernel/errors.ts'

/** The part of the validator's complaint that we read. */
export type Complaint = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: { readonly [name: string]: unknown }
  readonly message?: string | undefined
  readonly parentSchema?: { readonly properties?: object; readonly [keyword: string]: unknown } | undefined
}

/** More would help nobody, and a hostile body could ask for thousands. */
const maxFaults = 50

export function faultsOf(complaints: readonly Complaint[]): Fault[] {
  const faults = complaints.filter(({ keyword }) => !combining.has(keyword)).map(faultOf)
  // Alternatives complain one by one about the same place; the first says enough.
  const byPlace = new Map(faults.toReversed().map((fault) => [fault.pointer, fault]))
  return [...byPlace.values()].toReversed().slice(0, maxFaults)
}

/** They only say that something inside them failed, which is listed by itself. */
const combining = new Set(['anyOf', 'oneOf', 'allOf', 'if', 'propertyNames'])

type Rule = (complaint: Complaint) => { code: Fault['code']; detail: string }

const rules: Record<string, Rule> = {
  type: ({ params }) => ({ code: 'wrong_type', detail: `must be of type ${wordsOf(params.type)}` }),
  enum: ({ params }) => ({ code: 'not_in_list', detail: `must be one of ${wordsOf(params.allowedValues)}` }),
  const: ({ params }) => ({ code: 'not_in_list', detail: `must be ${JSON.stringify(params.allowedValue)}` }),
  minLength: ({ params }) => ({ code: 'too_short', detail: `must have at least ${params.limit} characters` }),
  maxLength: ({ params }) => ({ code: 'too_long', detail: `must have at most ${params.limit} characters` }),
  minimum: ({ params }) => ({ code: 'too_small', detail: `must be ${params.limit} or more` }),
  maximum: ({ params }) => ({ code: 'too_large', detail: `must be ${params.limit} or less` }),
  minItems: ({ params }) => ({ code: 'too_short', detail: `must have at least ${params.limit} entries` }),
  maxItems: ({ params }) => ({ code: 'too_many', detail: `must have at most ${params.limit} entries` }),
  minProperties: ({ params }) => ({
    code: 'too_short',
    detail: `must have at least ${params.limit} members`,
  }),
  maxProperties: ({ params }) => ({ code: 'too_many', detail: `must have at most ${params.limit} members` }),
  format: ({ params }) => ({
    code: 'bad_format',
    detail: `must be ${formats[String(params.format)] ?? params.format}`,
  }),
  pattern: ({ parentSchema }) => ({
    code: 'bad_format',
    detail: String(parentSchema?.faultDetail ?? 'has the wrong form'),
  }),
}

const formats: Record<string, string> = {
  'date-time': 'a time such as 2026-11-14T12:00:00.000Z',
  email: 'an e-mail address',
}

function faultOf(complaint: Complaint): Fault {
  const { keyword, instancePath, params } = complaint
  if (keyword === 'required') {
    return {
      pointer: `${instancePath}/${pointerPart(params.missingProperty)}`,
      code: 'required',
      detail: 'is required',
    }
  }
  if (keyword === 'additionalProperties') return unknownMember(complaint)
  const rule = rules[keyword]
  const said = rule?.(complaint) ?? {
    code: 'bad_format' as const,
    detail: complaint.message ?? 'is not valid',
  }
  return { pointer: instancePath, ...said }
}

function unknownMember({ instancePath, params, parentSchema }: Complaint): Fault {
  const name = String(params.additionalProperty)
  const meant = closest(name, Object.keys(parentSchema?.properties ?? {}))
  const detail = meant === null ? 'is not a member of this operation' : `did you mean ${meant}?`
  return { pointer: `${instancePath}/${pointerPart(name)}`, code: 'unknown_member', detail }
}

/** The known name that a typing error or two turn into this one. */
function closest(name: string, known: readonly string[]): string | null {
  if (name.length > 60) return null
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.max(2, name.length / 4) ? best.candidate : null
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

function pointerPart(name: unknown): string {
  return String(name).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
}

function wordsOf(value: unknown): string {
  return (Array.isArray(value) ? value : [value])
    .map((word) => (word === null ? 'null' : String(word)))
    .join(', ')
}
