// `npm run example:provider`: a provider of your own at a running Switchyard. Makes an account for it and a route
// that leads there, starts it, lets Switchyard check it, and says how to pay through it.

import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Switchyard } from '@switchyard/sdk'
import { type Connection, findConnection } from '../connection.ts'
import { tellOf } from './callback.ts'
import { OwnProvider, serve } from './server.ts'

const { PORT = '4100', PROVIDER_DATA = resolve(import.meta.dirname, '../../.switchyard/provider') } =
  process.env
const name = 'Example provider'

/** What the two have agreed on. The secret is shown once, so it is kept here. */
type Agreement = { readonly accountId: string; readonly secret: string; readonly webhookUrl: string }

await start().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})

async function start(): Promise<void> {
  const connection = findConnection()
  const switchyard = new Switchyard(connection)
  const { workspace_id: workspaceId, mode } = await switchyard.me.get()
  // Its bank only says that money moved. With a live token somebody would send goods for it.
  if (mode !== 'test') throw new Error('This example moves no money: it needs a test token.')
  const folder = join(PROVIDER_DATA, workspaceId)
  mkdirSync(folder, { recursive: true })
  const agreement = await agree(switchyard, join(folder, 'agreement.json'))
  const provider = new OwnProvider({
    secrets: [agreement.secret],
    journal: join(folder, 'journal.jsonl'),
    onEnd: (record) => void tellOf(record, agreement),
  })
  await once(serve(provider, Number(PORT)), 'listening')
  const { check } = await switchyard.providerAccounts.check(agreement.accountId)
  for (const { duty, detail } of check?.faults ?? []) console.log(`BROKEN ${duty}: ${detail}`)
  const routeId = await routeTo(switchyard, agreement.accountId)
  explain({
    baseUrl: switchyard.baseUrl,
    token: shownOf(connection),
    routeId,
    passed: check?.passed === true,
  })
}

async function agree(switchyard: Switchyard, file: string): Promise<Agreement> {
  const base_url = `http://127.0.0.1:${PORT}`
  if (existsSync(file)) {
    const agreement: Agreement = JSON.parse(readFileSync(file, 'utf8'))
    await switchyard.providerAccounts.update(agreement.accountId, { config: { base_url } })
    return agreement
  }
  const { id, secret, webhook_url } = await switchyard.providerAccounts.create({
    provider: 'custom',
    display_name: name,
    config: { base_url },
  })
  if (secret === null) throw new Error('The answer with the secret was lost. Start the example once more.')
  const agreement = { accountId: id, secret, webhookUrl: webhook_url }
  writeFileSync(file, JSON.stringify(agreement), { mode: 0o600 })
  return agreement
}

/** Other payments go as before: only those that name this route come here. */
async function routeTo(switchyard: Switchyard, accountId: string): Promise<string> {
  const routes = await switchyard.paymentRoutes.list().all({ max: 100 })
  const ours = routes.find((route) => route.name === name && route.status === 'active')
  const wanted = { type: 'priority' as const, targets: [accountId] }
  if (ours === undefined) {
    const { id } = await switchyard.paymentRoutes.create({ name, default: wanted })
    return id
  }
  // It may lead to an account of an earlier time, or never have been published.
  const published =
    ours.revision === null ? null : await switchyard.paymentRoutes.revision(ours.id, ours.revision)
  if (!isDeepStrictEqual(published?.default.targets, [accountId]))
    await switchyard.paymentRoutes.update(ours.id, { rules: [], default: wanted })
  return ours.id
}

/** The token of `npm run dev` opens nothing but this machine. Any other stays where whoever set it keeps it. */
function shownOf({ token, isDevelopment }: Connection): string {
  return isDevelopment ? token : '$SWITCHYARD_TOKEN'
}

type Explained = {
  readonly baseUrl: string
  readonly token: string
  readonly routeId: string
  readonly passed: boolean
}

function explain({ baseUrl, token, routeId, passed }: Explained): void {
  console.log(`
  ${passed ? 'Switchyard has checked the provider: it keeps the protocol.' : 'It does not keep the protocol yet.'}
  Pay through it, in another terminal:

    export TEST_URL=${baseUrl} TEST_TOKEN=${token} ROUTE=${routeId}

  examples/custom-provider/README.md goes on from here.
`)
}
