/** `<noun> create`, `update`, `delete` and whatever else can be done with it, from the OpenAPI document. */
import type { Command } from 'commander'
import { addMemberOptions, bodyOf, lower } from '../body.ts'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { questionOf } from '../finality.ts'
import { type Action, actBy, type Noun } from '../nouns.ts'
import { detailsOf } from '../output.ts'
import { requireConsent } from '../prompt.ts'
import { camel } from '../sdk-methods.ts'
import { listWords } from '../words.ts'

type ActionOptions = {
  readonly idempotencyKey?: string
  readonly ifMatch?: string
  readonly yes?: boolean
}

export function declareActions(parent: Command, noun: Noun): void {
  for (const action of noun.actions ?? []) declareAction(parent, noun, action)
}

function declareAction(parent: Command, noun: Noun, action: Action): void {
  const { verb, about, ids, kind, members, filters = [], ifMatch } = action
  const usage = [dashed(verb), ...ids.map((id) => `<${dashed(id)}>`)].join(' ')
  const command = declare<ActionOptions>(parent, usage, about, (context, options, ...given) =>
    act(context, options, { noun, action, ids: given }),
  )
  if (members !== undefined) addMemberOptions(command, members)
  for (const filter of filters) command.option(`--${dashed(filter.name)} <value>`, lower(filter.about))
  if (kind === 'write')
    command.option(
      '--idempotency-key <key>',
      'a name of yours for this call: repeated with it, it has one effect',
    )
  if (ifMatch) command.option('--if-match <etag>', 'only if this is still the version of the object')
  if (asks(noun, action)) command.option('-y, --yes', 'do not ask')
}

type Wanted = { readonly noun: Noun; readonly action: Action; readonly ids: readonly string[] }

async function act(context: Context, options: ActionOptions, { noun, action, ids }: Wanted): Promise<void> {
  const client = await context.client()
  const { idempotencyKey, ifMatch, yes } = options
  const chosen = options as Record<string, unknown>
  const filters = (action.filters ?? []).map(({ name }) => [name, chosen[camel(name)]] as const)
  const body = { ...Object.fromEntries(filters), ...(await bodyOf(chosen, action.members ?? [])) }
  const question = questionOf(operationOf(noun, action), action.about, ids)
  if (question !== null) await requireConsent(question, yes, context.signal)
  const answer = await actBy(client, noun, action, {
    ids,
    body,
    options: {
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    },
  })
  context.output.result(answer, () => wordsOf(answer))
}

function asks(noun: Noun, action: Action): boolean {
  return questionOf(operationOf(noun, action), action.about, []) !== null
}

function operationOf({ name }: Noun, { verb }: Action): string {
  return `${name}.${verb}`
}

function wordsOf(answer: object): string {
  return 'data' in answer && Array.isArray(answer.data) && 'has_more' in answer
    ? listWords(answer.data)
    : detailsOf(answer)
}

function dashed(name: string): string {
  return name.replaceAll('_', '-')
}
