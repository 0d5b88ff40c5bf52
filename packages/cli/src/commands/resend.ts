/** `resend`: events once more, to those who missed them. It says first what it would send. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Switchyard, WebhookEndpoint, WebhookRecovery } from '@switchyard/sdk'
import type { Command } from 'commander'
import { collected, declare } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { kindOf } from '../nouns.ts'
import { barOf, tableOf } from '../output.ts'
import { requireConsent } from '../prompt.ts'
import { pastTime } from '../time.ts'

type ResendOptions = {
  readonly failed?: boolean
  readonly since?: Date
  readonly endpoint?: readonly string[]
  readonly yes?: boolean
}

/** One thing that would be sent. */
type Step = {
  readonly what: string
  readonly to: string
  readonly about: string
  readonly send: () => Promise<object>
}

export function resendCommand(program: Command): void {
  declare<ResendOptions>(program, 'resend [ids...]', 'Send events or deliveries again', resend)
    .option('--failed', 'all that was given up or held since --since')
    .option('--since <when>', 'with --failed: 2h, 1d, or a time', (text: string) => pastTime(text))
    .option('--endpoint <id>', 'only to this endpoint; may be given more than once', collected)
    .option('-y, --yes', 'do not ask')
}

async function resend(context: Context, options: ResendOptions, ...ids: string[]): Promise<void> {
  if (options.failed !== true && ids.length === 0)
    throw new CliError(
      'usage',
      'What is to be sent?',
      'Name events or deliveries, or use --failed --since 1d.',
    )
  const client = await context.client()
  const steps = options.failed ? await missed(context, client, options) : await named(client, options, ids)
  const plan = steps.map(({ send: _, ...step }) => step)
  context.output.note(
    tableOf(
      ['SEND', 'TO', ''],
      plan.map(({ what, to, about }) => [what, to, about]),
    ),
  )
  if (steps.length === 0) return context.output.result({ plan, sent: [] }, 'Nothing to send.')
  await requireConsent('Send them?', options.yes, context.signal)
  const sent: object[] = []
  for (const [place, step] of steps.entries()) {
    context.output.progress(barOf(place, steps.length))
    sent.push(await step.send())
  }
  context.output.settle()
  context.output.result({ plan, sent }, `${sent.length} handed over. They leave within seconds.`)
}

async function named(
  client: Switchyard,
  { endpoint }: ResendOptions,
  ids: readonly string[],
): Promise<Step[]> {
  const steps: Step[] = []
  for (const id of ids) {
    const kind = kindOf(id)
    if (kind === 'event') steps.push(await eventStep(client, id, endpoint))
    else if (kind === 'delivery') steps.push(await deliveryStep(client, id))
    else throw new CliError('usage', `"${id}" is neither an event nor a delivery.`)
  }
  return steps
}

async function eventStep(
  client: Switchyard,
  id: string,
  endpoints: readonly string[] | undefined,
): Promise<Step> {
  const { type } = await client.events.get(id)
  return {
    what: id,
    to: endpoints?.join(', ') ?? 'the endpoints that ask for it',
    about: type,
    send: () =>
      client.events.resend(id, endpoints === undefined ? {} : { webhook_endpoint_ids: [...endpoints] }),
  }
}

async function deliveryStep(client: Switchyard, id: string): Promise<Step> {
  const { event_type, state, webhook_endpoint_id } = await client.deliveries.get(id)
  return {
    what: id,
    to: webhook_endpoint_id,
    about: `${event_type}, ${state}`,
    send: () => client.deliveries.resend(id),
  }
}

/** What each endpoint has missed, counted by a recovery that sends nothing. */
async function missed(context: Context, client: Switchyard, options: ResendOptions): Promise<Step[]> {
  if (options.since === undefined)
    throw new CliError('usage', 'Since when?', 'Add --since, such as --since 1d.')
  const window = { since_at: options.since }
  const steps: Step[] = []
  for (const endpoint of await endpointsOf(client, options.endpoint)) {
    const trial = await client.webhookEndpoints.recover(endpoint.id, { ...window, dry_run: true })
    const { matched } = await completed(context, client, trial)
    if (matched === 0) continue
    steps.push({
      what: `${matched} deliveries`,
      to: endpoint.id,
      about: endpoint.url,
      send: () => client.webhookEndpoints.recover(endpoint.id, window),
    })
  }
  return steps
}

async function endpointsOf(
  client: Switchyard,
  ids: readonly string[] | undefined,
): Promise<WebhookEndpoint[]> {
  if (ids === undefined) return client.webhookEndpoints.list().all({ max: 1_000 })
  return Promise.all(ids.map((id) => client.webhookEndpoints.get(id)))
}

async function completed(
  { signal, output }: Context,
  client: Switchyard,
  trial: WebhookRecovery,
): Promise<WebhookRecovery> {
  let recovery = trial
  while (recovery.status === 'running') {
    output.progress(`Counting what ${trial.webhook_endpoint_id} has missed: ${recovery.matched}`)
    await sleep(300, undefined, { signal })
    recovery = await client.webhookEndpoints.getRecovery(trial.webhook_endpoint_id, trial.id, { signal })
  }
  return recovery
}
