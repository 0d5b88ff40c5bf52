/** Builds request bodies from `--data` (inline JSON, a file or standard input) and from one option per member. */
import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { collect } from './command.ts'
import { CliError } from './exit.ts'
import type { Member } from './nouns.ts'
import { readStandardInput } from './prompt.ts'
import { camelCase } from './sdk-methods.ts'

type Body = Record<string, unknown>

export function addMemberOptions(command: Command, members: readonly Member[]): void {
  command.option('-d, --data <json>', 'the request body: JSON, a file name, or - for standard input')
  for (const { name, about, kind } of members) {
    const flag = `--${name.replaceAll('_', '-')}`
    if (kind === 'boolean') command.option(`${flag} [true|false]`, lowercaseFirst(about), parseBoolean)
    else if (kind === 'number') command.option(`${flag} <n>`, lowercaseFirst(about), parseNumber)
    else if (kind === 'pairs') command.option(`${flag} <key=value>`, lowercaseFirst(about), collect)
    else if (kind === 'texts') command.option(`${flag} <a,b>`, lowercaseFirst(about))
    else if (kind === 'secrets')
      command.option(`${flag} <file>`, `a JSON file, or - for standard input: ${lowercaseFirst(about)}`)
    else command.option(`${flag} <value>`, lowercaseFirst(about))
  }
}

/** Options override members of the JSON in `--data`. */
export async function buildBody(options: Readonly<Body>, members: readonly Member[]): Promise<Body> {
  const fromData = typeof options.data === 'string' ? await parseData(options.data) : {}
  const fromOptions = members.flatMap((member) => {
    const value = options[camelCase(member.name)]
    return value === undefined ? [] : [toBodyMember(member, value)]
  })
  return { ...fromData, ...Object.fromEntries(await Promise.all(fromOptions)) }
}

async function toBodyMember(member: Member, value: unknown): Promise<readonly [string, unknown]> {
  const { name, kind } = member
  return [name, kind === 'secrets' ? await readSecrets(name, String(value)) : toBodyValue(member, value)]
}

/** Secrets must not be given as arguments, because other programs can see the arguments of a command. */
async function readSecrets(name: string, source: string): Promise<Body> {
  if (isJson(source))
    throw new CliError(
      'usage',
      `--${name} must not be given as JSON, because other programs can see the arguments of a command.`,
      `Write it to a file, or use --${name} - for standard input.`,
    )
  const text = source === '-' ? await readStandardInput() : readFileText(source)
  try {
    return parseObject(`--${name}`, text)
  } catch {
    // The message of the parser quotes the text.
    throw new CliError('usage', `--${name} must be a file with a JSON object.`)
  }
}

/** An empty string clears a member that can be cleared. */
function toBodyValue(member: Member, value: unknown): unknown {
  const { kind, clearable } = member
  if (kind === 'pairs') return Object.fromEntries((value as string[]).map((pair) => parsePair(member, pair)))
  if (value === '' && clearable) return null
  if (kind === 'texts') return value === '' ? [] : String(value).split(',')
  return value
}

function parsePair({ name, clearable }: Member, text: string): [string, string | null] {
  const [key = '', ...parts] = text.split('=')
  const value = parts.join('=')
  if (key !== '' && parts.length > 0) return [key, value === '' && clearable ? null : value]
  throw new CliError('usage', `"${text}" is not a key=value pair.`, `For example: --${name} order=4711`)
}

async function parseData(text: string): Promise<Body> {
  return parseObject(
    '--data',
    text === '-' ? await readStandardInput() : isJson(text) ? text : readFileText(text),
  )
}

function parseObject(option: string, json: string): Body {
  try {
    const body: unknown = JSON.parse(json)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Body
  } catch (error) {
    throw new CliError('usage', `${option} is not JSON: ${(error as Error).message}`)
  }
  throw new CliError('usage', `${option} must be a JSON object.`)
}

function isJson(text: string): boolean {
  return text.trimStart().startsWith('{')
}

function readFileText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CliError('failed', `Cannot read ${path}: ${(error as Error).message}`)
  }
}

function parseNumber(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw new InvalidArgumentError('Expected a number.')
}

function parseBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new InvalidArgumentError('Expected true or false.')
}

/** Lowercases the first letter of an option description for the help. Leading acronyms are not changed. */
export function lowercaseFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
}
