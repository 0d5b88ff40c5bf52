/** The body of a call as somebody types it: JSON from a file, a pipe or the line itself, and members as options. */
import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { collected } from './command.ts'
import { CliError } from './exit.ts'
import type { Member } from './nouns.ts'
import { readStandardInput } from './prompt.ts'
import { camel } from './sdk-methods.ts'

type Body = Record<string, unknown>

export function addMemberOptions(command: Command, members: readonly Member[]): void {
  command.option(
    '-d, --data <json>',
    'the body: JSON, the name of a file that holds it, or - for standard input',
  )
  for (const { name, about, kind } of members) {
    const flag = `--${name.replaceAll('_', '-')}`
    if (kind === 'boolean') command.option(`${flag} [true|false]`, lower(about), trueOrFalse)
    else if (kind === 'number') command.option(`${flag} <n>`, lower(about), number)
    else if (kind === 'pairs') command.option(`${flag} <key=value>`, lower(about), collected)
    else if (kind === 'texts') command.option(`${flag} <a,b>`, lower(about))
    else command.option(`${flag} <value>`, lower(about))
  }
}

/** What the options say takes the place of what the JSON says. */
export async function bodyOf(options: Readonly<Body>, members: readonly Member[]): Promise<Body> {
  const given = typeof options.data === 'string' ? await parsed(options.data) : {}
  const said = members.flatMap((member) => {
    const value = options[camel(member.name)]
    return value === undefined ? [] : [[member.name, wireValue(member, value)] as const]
  })
  return { ...given, ...Object.fromEntries(said) }
}

/** An empty text clears what can be cleared. */
function wireValue(member: Member, value: unknown): unknown {
  const { kind, clears } = member
  if (kind === 'pairs') return Object.fromEntries((value as string[]).map((pair) => pairOf(member, pair)))
  if (value === '' && clears) return null
  if (kind === 'texts') return value === '' ? [] : String(value).split(',')
  return value
}

function pairOf({ name, clears }: Member, text: string): [string, string | null] {
  const [key = '', ...parts] = text.split('=')
  const value = parts.join('=')
  if (key !== '' && parts.length > 0) return [key, value === '' && clears ? null : value]
  throw new CliError('usage', `"${text}" is no pair.`, `Such as --${name} order=4711`)
}

async function parsed(text: string): Promise<Body> {
  const json = text === '-' ? await readStandardInput() : isJson(text) ? text : fileText(text)
  try {
    const body: unknown = JSON.parse(json)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Body
  } catch (error) {
    throw new CliError('usage', `--data is not JSON: ${(error as Error).message}`)
  }
  throw new CliError('usage', '--data does not hold an object.')
}

function isJson(text: string): boolean {
  return text.trimStart().startsWith('{')
}

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CliError('failed', `${path} cannot be read: ${(error as Error).message}`)
  }
}

function number(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw new InvalidArgumentError('It must be a number.')
}

function trueOrFalse(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new InvalidArgumentError('It must be true or false.')
}

/** For the help, where every option begins so. What is written in capitals stays. */
export function lower(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
}
