/** `routes`: manages payment routes as files: pull, plan, test and apply. */
import { existsSync } from 'node:fs'
import type { PaymentRouteLint, SavedPaymentRoute, Switchyard } from '@switchyard/sdk'
import type { Command } from 'commander'
import { declare, group } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { styled } from '../output.ts'
import { requireConsent } from '../prompt.ts'
import { withAccountIds, withAccountNames } from '../routes/accounts.ts'
import { type Change, changesBetween } from '../routes/diff.ts'
import { formatExamples, runExamples } from '../routes/examples.ts'
import {
  definitionOf,
  formatRouteFile,
  type RouteFile,
  readRouteFile,
  writeRouteFile,
} from '../routes/file.ts'

type PullOptions = { readonly draft?: boolean; readonly force?: boolean; readonly names?: boolean }
type ApplyOptions = { readonly yes?: boolean }

type Plan = {
  /** Null if the route is new. */
  readonly payment_route_id: string | null
  readonly publishable: boolean
  readonly changes: readonly Change[]
  readonly findings: PaymentRouteLint['findings']
}

export function routesCommands(program: Command): void {
  const routes = group(program, 'routes', 'Payment routes as files, for git')
  declare<PullOptions>(routes, 'pull <route> [file]', 'Write a route to a file, or print it', pull)
    .option('--draft', 'the newest revision, even if it is not published')
    .option('--force', 'overwrite the file')
    .option('--names', 'write account names instead of ids')
  declare(routes, 'plan <file>', 'Show what applying the file would change, and the lint findings', plan)
  declare(routes, 'test <file>', 'Run the examples of the file, and compare with the published route', test)
  declare<ApplyOptions>(routes, 'apply <file>', 'Save the file as a revision and publish it', apply).option(
    '-y, --yes',
    'skip the confirmation',
  )
}

async function pull(context: Context, options: PullOptions, id = '', path?: string): Promise<void> {
  const client = await context.client()
  const route = await client.paymentRoutes.get(id)
  const number = options.draft ? route.latest_revision : (route.revision ?? route.latest_revision)
  const revision = definitionOf(await client.paymentRoutes.revision(id, number))
  const definition = options.names ? await withAccountNames(client, revision) : revision
  const file = { id: route.id, definition }
  if (path === undefined)
    return context.output.result(JSON.parse(formatRouteFile(file)), formatRouteFile(file).trimEnd())
  if (existsSync(path) && !options.force)
    throw new CliError('failed', `${path} already exists.`, 'Add --force to overwrite it.')
  writeRouteFile(path, file)
  context.output.result(
    { file: path, payment_route_id: id, revision: number },
    `Wrote revision ${number} to ${path}.`,
  )
}

async function plan(context: Context, _options: object, path = ''): Promise<void> {
  const client = await context.client()
  const routePlan = await createPlan(client, await resolveAccountNames(client, readRouteFile(path)))
  context.output.result(routePlan, () => formatPlan(routePlan))
  requirePublishable(routePlan)
}

async function test(context: Context, _options: object, path = ''): Promise<void> {
  const client = await context.client()
  const file = await resolveAccountNames(client, readRouteFile(path))
  const { findings } = await client.paymentRoutes.lint(file.definition)
  const examples = await runExamples(client, file, findings)
  context.output.result({ examples, findings }, () => formatExamples(examples))
  const failed = examples.filter(({ passes }) => !passes).length
  if (failed > 0) throw new CliError('failed', `${failed} of ${examples.length} examples failed.`)
}

async function apply(context: Context, { yes }: ApplyOptions, path = ''): Promise<void> {
  const client = await context.client()
  const content = readRouteFile(path)
  const file = await resolveAccountNames(client, content)
  const routePlan = await createPlan(client, file)
  const route = file.id === null ? null : await client.paymentRoutes.get(file.id)
  if (routePlan.changes.length === 0) return context.output.result(route ?? routePlan, 'No changes.')
  context.output.note(formatPlan(routePlan))
  requirePublishable(routePlan)
  await requireConsent('Publish this route?', yes, context.signal)
  // Save a draft and publish that revision, so that a concurrent change is not published.
  const draft = await saveDraft(client, file, route?.latest_revision)
  // Write the id before publishing. If publishing fails, the next run updates this route and does not create a second one.
  if (file.id === null) writeRouteFile(path, { ...content, id: draft.id })
  const saved = await client.paymentRoutes.publish(draft.id, draft.latest_revision)
  context.output.result(saved, `Revision ${saved.revision} of ${saved.id} is published.`)
}

/** Resolves account names to ids for the request. The file keeps the names. */
async function resolveAccountNames(client: Switchyard, { id, definition }: RouteFile): Promise<RouteFile> {
  return { id, definition: await withAccountIds(client, definition) }
}

function saveDraft(
  client: Switchyard,
  { id, definition }: RouteFile,
  baseRevision: number | undefined,
): Promise<SavedPaymentRoute> {
  return id === null
    ? client.paymentRoutes.create({ ...definition, draft: true })
    : client.paymentRoutes.update(id, { ...definition, draft: true, if_revision: baseRevision })
}

async function createPlan(client: Switchyard, { id, definition }: RouteFile): Promise<Plan> {
  const route = id === null ? null : await client.paymentRoutes.get(id)
  const published = route?.revision ? await client.paymentRoutes.revision(route.id, route.revision) : null
  const { publishable, findings } = await client.paymentRoutes.lint(definition)
  // Members that the file omits stay unchanged.
  const before = published === null ? {} : definitionOf(published)
  const after = { ...before, ...definition }
  return { payment_route_id: id, publishable, findings, changes: changesBetween(before, after) }
}

function requirePublishable({ publishable }: Plan): void {
  if (!publishable)
    throw new CliError('failed', 'The route has errors and cannot be published.', 'Fix the errors above.')
}

const symbols = { added: '+', removed: '-', changed: '~' } as const
const colours = { added: 'green', removed: 'red', changed: 'yellow' } as const

function formatPlan({ changes, findings, payment_route_id: id }: Plan): string {
  const lines = changes.map(({ pointer, change, from, to }) => {
    const values =
      change === 'changed' ? `${truncate(from)} -> ${truncate(to)}` : truncate(change === 'added' ? to : from)
    return styled(colours[change], `${symbols[change]} ${pointer || '/'}  ${values}`)
  })
  const warnings = findings.map(({ severity, code, pointer, detail }) =>
    styled(severity === 'error' ? 'red' : 'yellow', `${severity}  ${pointer || '/'}  ${detail} (${code})`),
  )
  const title = id === null ? 'New route:' : changes.length === 0 ? 'No changes.' : `Changes to ${id}:`
  return [title, ...lines, ...(warnings.length === 0 ? ['No lint findings.'] : warnings)].join('\n')
}

function truncate(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
