// The members of an object as rows of a table; members of members follow theirs, under the path to them.

import type { Schema } from './sdk-schema.ts'

export type MemberOptions = {
  /** Where another object is described, by the name of its schema. */
  readonly linkTo?: (name: string) => string
  /** In a request it matters which members have to be sent. */
  readonly marksRequired?: boolean
  /** Where the same members have been described already, as a link; null if this is the first time. */
  readonly describedAt?: (member: Schema) => string | null
}

/** More words than this say nothing to a reader; the description then says what they are. */
const longestChoice = 30

export function memberRows(schema: Schema, options: MemberOptions = {}, path = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const here = `${path}${name}`
    const isRequired = options.marksRequired === true && schema.required?.includes(name) === true
    const type = `${typeWords(member, options)}${isRequired ? ', required' : ''}`
    const known = options.describedAt?.(member) ?? null
    const more = known === null ? '' : ` Its members are those in ${known}.`
    const row = `| \`${here}\` | ${type} | ${cell(sentencesOf(member))}${more} |`
    return known === null ? [row, ...innerRows(member, options, here)] : [row]
  })
}

function innerRows(member: Schema, options: MemberOptions, path: string): string[] {
  return [
    ...memberRows(member, options, `${path}.`),
    ...memberRows(member.items ?? {}, options, `${path}[].`),
  ]
}

export const memberHead = '| Member | Type | Meaning |\n|---|---|---|'

/** `string or null`, `list of strings`, or the values there are. */
export function typeWords(schema: Schema, options: MemberOptions = {}): string {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return options.linkTo?.(name) ?? code(name)
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum !== undefined && schema.enum.length <= longestChoice) return choiceOf(schema)
  return [schema.type ?? 'object']
    .flat()
    .map((type) => (type === 'array' ? `list of ${itemWords(schema.items ?? {}, options)}` : type))
    .join(' or ')
}

function choiceOf({ enum: words = [] }: Schema): string {
  return words.map((word) => (word === null ? 'null' : code(word))).join(', ')
}

function itemWords(items: Schema, options: MemberOptions): string {
  const words = typeWords(items, options)
  return /^[a-z]+$/.test(words) ? `${words}s` : words
}

function sentencesOf({ description = '', default: usual, const: constant }: Schema): string {
  if (description === '' && constant !== undefined) return 'Says what kind of object this is.'
  const without = usual === undefined ? '' : `Without it: ${code(JSON.stringify(usual).replaceAll('"', ''))}.`
  return [description, without].filter((text) => text !== '').join(' ')
}

export const code = (word: unknown) => `\`${word}\``

export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
