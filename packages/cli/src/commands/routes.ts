/** `routes`: payment routes as files. Pull one, plan a change, test it, publish it. */
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
import { examplesOf, exampleWords } from '../routes/examples.ts'
import { definitionOf, type RouteFile, readRouteFile, textOf, writeRouteFile } from '../routes/file.ts'

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
  declare<PullOptions>(routes, 'pull <route> [file]', 'Write a route into a file, or show it', pull)
    .option('--draft', 'the newest revision, also if it is not published')
    .option('--force', 'replace the file')
    .option('--names', 'write the names of accounts instead of their ids')
  declare(routes, 'plan <file>', 'What applying the file would change, and what is wrong with it', plan)
  declare(routes, 'test <file>', 'Run the examples of the file, and see where they go today', test)
  declare<ApplyOptions>(routes, 'apply <file>', 'Save the file as a revision and publish it', apply).option(
    '-y, --yes',
    'do not ask',
  )
}

async function pull(context: Context, options: PullOptions, id = '', path?: string): Promise<void> {
  const client = await context.client()
  const route = await client.paymentRoutes.get(id)
  const number = options.draft ? route.latest_revision : (route.revision ?? route.latest_revision)
  const revision = definitionOf(await client.paymentRoutes.revision(id, number))
  const definition = options.names ? await withAccountNames(client, revision) : revision
  const file = { id: route.id, definition }
  if (path === undefined) return context.output.result(JSON.parse(textOf(file)), textOf(file).trimEnd())
  if (existsSync(path) && !options.force)
    throw new CliError('failed', `${path} exists.`, 'Add --force to replace it.')
  writeRouteFile(path, file)
  context.output.result(
    { file: path, payment_route_id: id, revision: number },
    `Revision ${number} is in ${path}.`,
  )
}

async function plan(context: Context, _options: object, path = ''): Promise<void> {
  const client = await context.client()
  const made = await planOf(client, await sentBy(client, readRouteFile(path)))
  context.output.result(made, () => planWords(made))
  requirePublishable(made)
}

async function test(context: Context, _options: object, path = ''): Promise<void> {
  const client = await context.client()
  const file = await sentBy(client, readRouteFile(path))
  const { findings } = await client.paymentRoutes.lint(file.definition)
  const examples = await examplesOf(client, file, findings)
  context.output.result({ examples, findings }, () => exampleWords(examples))
  const failed = examples.filter(({ passes }) => !passes).length
  if (failed > 0)
    throw new CliError('failed', `${failed} of ${examples.length} examples do not end where they should.`)
}

async function apply(context: Context, { yes }: ApplyOptions, path = ''): Promise<void> {
  const client = await context.client()
  const written = readRouteFile(path)
  const file = await sentBy(client, written)
  const made = await planOf(client, file)
  const route = file.id === null ? null : await client.paymentRoutes.get(file.id)
  if (made.changes.length === 0) return context.output.result(route ?? made, 'Nothing to change.')
  context.output.note(planWords(made))
  requirePublishable(made)
  await requireConsent('Publish it?', yes, context.signal)
  // First a draft, so that what is published is the very revision that was looked at, and nobody else's.
  const draft = await saveDraft(client, file, route?.latest_revision)
  // Before it is published: if that fails, the next try is about the same route, and not another new one.
  if (file.id === null) writeRouteFile(path, { ...written, id: draft.id })
  const saved = await client.paymentRoutes.publish(draft.id, draft.latest_revision)
  context.output.result(saved, `Revision ${saved.revision} of ${saved.id} is published.`)
}

/** With ids where the file has names of accounts. The file itself keeps them. */
async function sentBy(client: Switchyard, { id, definition }: RouteFile): Promise<RouteFile> {
  return { id, definition: await withAccountIds(client, definition) }
}

function saveDraft(
  client: Switchyard,
  { id, definition }: RouteFile,
  seen: number | undefined,
): Promise<SavedPaymentRoute> {
  return id === null
    ? client.paymentRoutes.create({ ...definition, draft: true })
    : client.paymentRoutes.update(id, { ...definition, draft: true, if_revision: seen })
}

async function planOf(client: Switchyard, { id, definition }: RouteFile): Promise<Plan> {
  const route = id === null ? null : await client.paymentRoutes.get(id)
  const published = route?.revision ? await client.paymentRoutes.revision(route.id, route.revision) : null
  const { publishable, findings } = await client.paymentRoutes.lint(definition)
  // What the file leaves out stays as it is, so it is no change.
  const before = published === null ? {} : definitionOf(published)
  const after = { ...before, ...definition }
  return { payment_route_id: id, publishable, findings, changes: changesBetween(before, after) }
}

function requirePublishable({ publishable }: Plan): void {
  if (!publishable)
    throw new CliError('failed', 'The route cannot be published as it is.', 'Mend the errors above.')
}

const signs = { added: '+', removed: '-', changed: '~' } as const
const colours = { added: 'green', removed: 'red', changed: 'yellow' } as const

function planWords({ changes, findings, payment_route_id: id }: Plan): string {
  const lines = changes.map(({ pointer, change, from, to }) => {
    const values =
      change === 'changed' ? `${short(from)} -> ${short(to)}` : short(change === 'added' ? to : from)
    return styled(colours[change], `${signs[change]} ${pointer || '/'}  ${values}`)
  })
  const warnings = findings.map(({ severity, code, pointer, detail }) =>
    styled(severity === 'error' ? 'red' : 'yellow', `${severity}  ${pointer || '/'}  ${detail} (${code})`),
  )
  const title = id === null ? 'A new route.' : changes.length === 0 ? 'Nothing changes.' : `Changes of ${id}:`
  return [title, ...lines, ...(warnings.length === 0 ? ['The lint finds nothing.'] : warnings)].join('\n')
}

function short(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
