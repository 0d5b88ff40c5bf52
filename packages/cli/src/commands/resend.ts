/** `resend`: sends events or deliveries again. It shows the plan and asks for confirmation first. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Switchyard, WebhookEndpoint, WebhookRecovery } from '@switchyard/sdk'
import type { Command } from 'commander'
import { collect, declare } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { kindOf } from '../nouns.ts'
import { formatTable, progressBar } from '../output.ts'
import { requireConsent } from '../prompt.ts'
import { parsePastTime } from '../time.ts'

type ResendOptions = {
  readonly failed?: boolean
  readonly since?: Date
  readonly endpoint?: readonly string[]
  readonly yes?: boolean
}

/** One entry of the plan. */
type PlanEntry = {
  readonly what: string
  readonly to: string
  readonly about: string
  readonly send: () => Promise<object>
}

export function resendCommand(program: Command): void {
  declare<ResendOptions>(program, 'resend [ids...]', 'Send events or deliveries again', resend)
    .option('--failed', 'all failed or held deliveries after the time in --since')
    .option('--since <when>', 'required with --failed: 2h, 1d, or a time', (text: string) =>
      parsePastTime(text),
    )
    .option('--endpoint <id>', 'only to this endpoint; can be repeated', collect)
    .option('-y, --yes', 'skip the confirmation')
}

async function resend(context: Context, options: ResendOptions, ...ids: string[]): Promise<void> {
  if (options.failed !== true && ids.length === 0)
    throw new CliError(
      'usage',
      'Nothing to resend was given.',
      'Pass ids of events or deliveries, or use --failed --since 1d.',
    )
  const client = await context.client()
  const entries = options.failed
    ? await planMissed(context, client, options)
    : await planNamed(client, options, ids)
  const plan = entries.map(({ send: _, ...entry }) => entry)
  context.output.note(
    formatTable(
      ['SEND', 'TO', ''],
      plan.map(({ what, to, about }) => [what, to, about]),
    ),
  )
  if (entries.length === 0) return context.output.result({ plan, sent: [] }, 'Nothing to send.')
  await requireConsent('Resend these?', options.yes, context.signal)
  const results: object[] = []
  for (const [index, entry] of entries.entries()) {
    context.output.progress(progressBar(index, entries.length))
    results.push(await entry.send())
  }
  context.output.clearProgress()
  context.output.result({ plan, sent: results }, `Queued ${results.length}. They are sent within seconds.`)
}

async function planNamed(
  client: Switchyard,
  { endpoint }: ResendOptions,
  ids: readonly string[],
): Promise<PlanEntry[]> {
  const entries: PlanEntry[] = []
  for (const id of ids) {
    const kind = kindOf(id)
    if (kind === 'event') entries.push(await eventEntry(client, id, endpoint))
    else if (kind === 'delivery') entries.push(await deliveryEntry(client, id))
    else throw new CliError('usage', `"${id}" is neither an event nor a delivery.`)
  }
  return entries
}

async function eventEntry(
  client: Switchyard,
  id: string,
  endpoints: readonly string[] | undefined,
): Promise<PlanEntry> {
  const { type } = await client.events.get(id)
  return {
    what: id,
    to: endpoints?.join(', ') ?? 'all subscribed endpoints',
    about: type,
    send: () =>
      client.events.resend(id, endpoints === undefined ? {} : { webhook_endpoint_ids: [...endpoints] }),
  }
}

async function deliveryEntry(client: Switchyard, id: string): Promise<PlanEntry> {
  const { event_type, state, webhook_endpoint_id } = await client.deliveries.get(id)
  return {
    what: id,
    to: webhook_endpoint_id,
    about: `${event_type}, ${state}`,
    send: () => client.deliveries.resend(id),
  }
}

/** Counts the missed deliveries of each endpoint with a dry-run recovery, which sends nothing. */
async function planMissed(
  context: Context,
  client: Switchyard,
  options: ResendOptions,
): Promise<PlanEntry[]> {
  if (options.since === undefined)
    throw new CliError('usage', '--failed requires --since.', 'For example: --since 1d')
  const window = { since_at: options.since }
  const entries: PlanEntry[] = []
  for (const endpoint of await endpointsOf(client, options.endpoint)) {
    const dryRun = await client.webhookEndpoints.recover(endpoint.id, { ...window, dry_run: true })
    const { matched } = await waitForRecovery(context, client, dryRun)
    if (matched === 0) continue
    entries.push({
      what: matched === 1 ? '1 delivery' : `${matched} deliveries`,
      to: endpoint.id,
      about: endpoint.url,
      send: () => client.webhookEndpoints.recover(endpoint.id, window),
    })
  }
  return entries
}

async function endpointsOf(
  client: Switchyard,
  ids: readonly string[] | undefined,
): Promise<WebhookEndpoint[]> {
  if (ids === undefined) return client.webhookEndpoints.list().all({ max: 1_000 })
  return Promise.all(ids.map((id) => client.webhookEndpoints.get(id)))
}

async function waitForRecovery(
  { signal, output }: Context,
  client: Switchyard,
  dryRun: WebhookRecovery,
): Promise<WebhookRecovery> {
  let recovery = dryRun
  while (recovery.status === 'running') {
    output.progress(`Counting missed deliveries of ${dryRun.webhook_endpoint_id}: ${recovery.matched}`)
    await sleep(300, undefined, { signal })
    recovery = await client.webhookEndpoints.getRecovery(dryRun.webhook_endpoint_id, dryRun.id, { signal })
  }
  return recovery
}
