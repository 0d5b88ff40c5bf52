/** What the validator says, as faults that a person can act on: where, which rule, and a sentence. */
import type { Fault } from '../../kernel/errors.ts'

/** The part of the validator's complaint that we read. */
export type Complaint = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: { readonly [name: string]: unknown }
  readonly message?: string | undefined
  /** What was sent. */
  readonly data?: unknown
  readonly parentSchema?: { readonly properties?: object; readonly [keyword: string]: unknown } | undefined
}

const time = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

/**
 * RFC 3339, as far as a calendar can hold it. The usual check of validators also takes leap seconds and
 * short offsets, of which Date makes nothing, and then a verb would stumble over an invalid time.
 */
function isTime(text: string): boolean {
  if (!time.test(text)) return false
  const day = text.slice(0, 10)
  // Date takes the 30th of February as the 2nd of March.
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(Date.parse(text)) && midnight.toISOString().startsWith(day)
}

/** How the shapes of operations are checked: nothing is dropped in silence, and all faults are told. */
export function validatorOptions(reading: { readonly coerceTypes: boolean }) {
  return {
    customOptions: {
      ...reading,
      removeAdditional: false as const,
      allErrors: true,
      verbose: true,
      allowUnionTypes: true,
      strict: false,
    },
    onCreate: (validator: { addFormat(name: string, check: (text: string) => boolean): unknown }) => {
      validator.addFormat('date-time', isTime)
    },
  }
}

/** The database cannot hold NUL. Bodies have it refused while they are read. */
export function nulsIn(query: unknown): Fault[] {
  return Object.entries(query ?? {})
    .filter(([, text]) => String(text).includes('\0'))
    .map(([name]) => ({
      pointer: `/${pointerPart(name)}`,
      code: 'bad_format',
      detail: 'must not hold the character NUL',
    }))
}

/** More would help nobody, and a hostile body could ask for thousands. */
const maxFaults = 50

export function faultsOf(complaints: readonly Complaint[]): Fault[] {
  const byPlace = new Map<string, Complaint>()
  for (const complaint of complaints) {
    if (byPlace.size >= maxFaults) break
    const place = pointerOf(complaint)
    // Alternatives complain one by one about the same place; the first says enough.
    if (!combining.has(complaint.keyword) && !byPlace.has(place)) byPlace.set(place, complaint)
  }
  // Only now come the sentences: finding out what a name was meant to be takes its time.
  return [...byPlace].map(([pointer, complaint]) => ({ pointer, ...sentenceOf(complaint) }))
}

/** They only say that something inside them failed, which is listed by itself. */
const combining = new Set(['anyOf', 'oneOf', 'allOf', 'if', 'propertyNames'])

type Sentence = Omit<Fault, 'pointer'>
type Rule = (complaint: Complaint) => Sentence

const rules: Record<string, Rule> = {
  required: () => ({ code: 'required', detail: 'is required' }),
  additionalProperties: unknownMember,
  type: ({ params }) => ({ code: 'wrong_type', detail: `must be of type ${wordsOf(params.type)}` }),
  enum: notInList,
  const: ({ params }) => ({ code: 'not_in_list', detail: `must be ${JSON.stringify(params.allowedValue)}` }),
  minLength: ({ params }) => ({
    code: 'too_short',
    detail: `must have at least ${counted(params.limit, 'character')}`,
  }),
  maxLength: ({ params }) => ({ code: 'too_long', detail: `must have at most ${params.limit} characters` }),
  minimum: ({ params }) => ({ code: 'too_small', detail: `must be ${params.limit} or more` }),
  maximum: ({ params }) => ({ code: 'too_large', detail: `must be ${params.limit} or less` }),
  minItems: ({ params }) => ({
    code: 'too_short',
    detail: `must have at least ${counted(params.limit, 'entry')}`,
  }),
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
  date: 'a day such as 2026-11-14',
  email: 'an e-mail address',
}

/** Where it is. A member that is missing, or too many, is named behind the object that it concerns. */
function pointerOf({ keyword, instancePath, params }: Complaint): string {
  if (keyword === 'required') return `${instancePath}/${pointerPart(params.missingProperty)}`
  if (keyword === 'additionalProperties') return `${instancePath}/${pointerPart(params.additionalProperty)}`
  return instancePath
}

function sentenceOf(complaint: Complaint): Sentence {
  const said = rules[complaint.keyword]?.(complaint)
  return said ?? { code: 'bad_format', detail: complaint.message ?? 'is not valid' }
}

function unknownMember({ params, parentSchema }: Complaint): Sentence {
  const meant = closest(String(params.additionalProperty), Object.keys(parentSchema?.properties ?? {}))
  const detail = meant === null ? 'is not a member of this operation' : `did you mean ${meant}?`
  return { code: 'unknown_member', detail }
}

/** A list of many words says itself what belongs into it; all of them would help nobody. */
function notInList({ params, data, parentSchema }: Complaint): Sentence {
  const allowed = (params.allowedValues as readonly unknown[]).filter((word) => typeof word === 'string')
  const meant = typeof data === 'string' ? closest(data, allowed) : null
  const detail = parentSchema?.faultDetail ?? `must be one of ${wordsOf(params.allowedValues)}`
  return { code: 'not_in_list', detail: meant === null ? String(detail) : `did you mean ${meant}?` }
}

/** The known name that a typing error or two turn into this one. */
function closest(name: string, known: readonly string[]): string | null {
  if (name.length > 60) return null
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  // A word of which nothing is left is another word.
  const near = Math.min(name.length - 1, Math.max(2, name.length / 4))
  return best !== undefined && best.distance <= near ? best.candidate : null
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
  return String(name).slice(0, 100).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')
}

function counted(limit: unknown, noun: 'character' | 'entry'): string {
  if (limit === 1) return `1 ${noun}`
  return `${limit} ${noun === 'entry' ? 'entries' : 'characters'}`
}

function wordsOf(value: unknown): string {
  return (Array.isArray(value) ? value : [value])
    .map((word) => (word === null ? 'null' : String(word)))
    .join(', ')
}
