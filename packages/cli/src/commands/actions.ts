/** `<noun> create`, `update`, `delete` and the other actions of the OpenAPI document. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { addMemberOptions, buildBody, lowercaseFirst } from '../body.ts'
import { declare } from '../command.ts'
import { confirmationFor } from '../confirmations.ts'
import type { Context } from '../context.ts'
import { formatList } from '../format-list.ts'
import { type Action, callAction, type Noun } from '../nouns.ts'
import { formatDetails } from '../output.ts'
import { requireConsent } from '../prompt.ts'
import { camelCase } from '../sdk-methods.ts'

type ActionOptions = {
  readonly idempotencyKey?: string
  readonly ifMatch?: string
  readonly yes?: boolean
}

export function declareActions(parent: Command, noun: Noun): void {
  for (const action of noun.actions ?? []) declareAction(parent, noun, action)
}

function declareAction(parent: Command, noun: Noun, action: Action): void {
  const { verb, about, ids, kind, members, file, filters = [], ifMatch } = action
  const usage = [toKebabCase(verb), ...ids.map((id) => `<${toKebabCase(id)}>`)].join(' ')
  const command = declare<ActionOptions>(parent, usage, about, (context, options, ...idArgs) =>
    runAction(context, options, { noun, action, ids: idArgs }),
  )
  if (members !== undefined) addMemberOptions(command, members)
  if (file) command.requiredOption('-f, --file <name>', 'the file to upload, or - for standard input')
  for (const filter of filters)
    command.option(`--${toKebabCase(filter.name)} <value>`, lowercaseFirst(filter.about))
  if (kind === 'write')
    command.option(
      '--idempotency-key <key>',
      'your key for this request: retries with the same key take effect once',
    )
  if (ifMatch) command.option('--if-match <etag>', 'only if the object still has this ETag')
  if (requiresConfirmation(noun, action)) command.option('-y, --yes', 'skip the confirmation')
}

type ActionCall = { readonly noun: Noun; readonly action: Action; readonly ids: readonly string[] }

async function runAction(
  context: Context,
  options: ActionOptions,
  { noun, action, ids }: ActionCall,
): Promise<void> {
  const client = await context.client()
  const { idempotencyKey, ifMatch, yes } = options
  const optionValues = options as Record<string, unknown>
  const filters = (action.filters ?? []).map(({ name }) => [name, optionValues[camelCase(name)]] as const)
  const body = { ...Object.fromEntries(filters), ...(await buildBody(optionValues, action.members ?? [])) }
  const confirmation = confirmationFor(operationNameOf(noun, action), action.about, ids)
  if (confirmation !== null) await requireConsent(confirmation, yes, context.signal)
  const { file } = optionValues
  const response = await callAction(client, noun, action, {
    ids,
    body: typeof file === 'string' ? openFile(file) : body,
    options: {
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    },
  })
  context.output.result(response, () => formatResponse(response))
}

/** The content of a file or of standard input, read while it is uploaded. */
function openFile(name: string): ReadableStream {
  const source = name === '-' ? process.stdin : createReadStream(name)
  return Readable.toWeb(source) as ReadableStream
}

function requiresConfirmation(noun: Noun, action: Action): boolean {
  return confirmationFor(operationNameOf(noun, action), action.about, []) !== null
}

function operationNameOf({ name }: Noun, { verb }: Action): string {
  return `${name}.${verb}`
}

function formatResponse(response: object): string {
  return 'data' in response && Array.isArray(response.data) && 'has_more' in response
    ? formatList(response.data)
    : formatDetails(response)
}

function toKebabCase(name: string): string {
  return name.replaceAll('_', '-')
}
