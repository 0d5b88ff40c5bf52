// The members of an object as rows of a table; nested members follow their parent, with their path.

import type { Schema } from './sdk-schema.ts'

export type MemberOptions = {
  /** A link to the description of another object, by the name of its schema. */
  readonly linkTo?: (name: string) => string
  /** For a request, required members are marked. */
  readonly marksRequired?: boolean
  /** A link to the earlier description of the same members; null if there is none. */
  readonly describedAt?: (member: Schema) => string | null
}

/** Longer lists of choices are not shown; the description then explains them. */
const maxChoices = 30

export function memberRows(schema: Schema, options: MemberOptions = {}, path = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const memberPath = `${path}${name}`
    const isRequired = options.marksRequired === true && schema.required?.includes(name) === true
    const type = `${typeText(member, options)}${isRequired ? ', required' : ''}`
    const earlierSection = options.describedAt?.(member) ?? null
    const reference = earlierSection === null ? '' : ` Same fields as in ${earlierSection}.`
    const row = `| \`${memberPath}\` | ${type} | ${cell(sentencesOf(member))}${reference} |`
    return earlierSection === null ? [row, ...innerRows(member, options, memberPath)] : [row]
  })
}

function innerRows(member: Schema, options: MemberOptions, path: string): string[] {
  return [
    ...memberRows(member, options, `${path}.`),
    ...memberRows(member.items ?? {}, options, `${path}[].`),
  ]
}

export const memberHead = '| Field | Type | Description |\n|---|---|---|'

/** `string or null`, `list of strings`, or the allowed values. */
export function typeText(schema: Schema, options: MemberOptions = {}): string {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return options.linkTo?.(name) ?? code(name)
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum !== undefined && schema.enum.length <= maxChoices) return choiceOf(schema)
  return [schema.type ?? 'object']
    .flat()
    .map((type) => (type === 'array' ? `list of ${itemTypeText(schema.items ?? {}, options)}` : type))
    .join(' or ')
}

function choiceOf({ enum: values = [] }: Schema): string {
  return values.map((value) => (value === null ? 'null' : code(value))).join(', ')
}

function itemTypeText(items: Schema, options: MemberOptions): string {
  const type = typeText(items, options)
  return /^[a-z]+$/.test(type) ? `${type}s` : type
}

function sentencesOf({ description = '', default: defaultValue, const: constant }: Schema): string {
  if (description === '' && constant !== undefined) return 'Type of the object.'
  const defaultText =
    defaultValue === undefined ? '' : `Default: ${code(JSON.stringify(defaultValue).replaceAll('"', ''))}.`
  return [description, defaultText].filter((text) => text !== '').join(' ')
}

export const code = (value: unknown) => `\`${value}\``

export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
