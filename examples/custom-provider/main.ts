// `npm run example:provider`: runs the example provider against a running Switchyard. Creates a provider
// account and a payment route, starts the provider, lets Switchyard check it, and prints how to pay with it.

import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Switchyard } from '@switchyard/sdk'
import { type Connection, findConnection } from '../connection.ts'
import { sendCallback } from './callback.ts'
import { ExampleProvider, serve } from './server.ts'

const { PORT = '4100', PROVIDER_DATA = resolve(import.meta.dirname, '../../.switchyard/provider') } =
  process.env
const name = 'Example provider'

/** The account and its secret. The secret is shown once, so it is saved here. */
type SavedAccount = { readonly accountId: string; readonly secret: string; readonly webhookUrl: string }

await start().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})

async function start(): Promise<void> {
  const connection = findConnection()
  const switchyard = new Switchyard(connection)
  const { workspace_id: workspaceId, mode } = await switchyard.me.get()
  // The example bank moves no money, so a live token must not be used.
  if (mode !== 'test') throw new Error('This example moves no money: use a test token.')
  const folder = join(PROVIDER_DATA, workspaceId)
  mkdirSync(folder, { recursive: true })
  const account = await ensureAccount(switchyard, join(folder, 'agreement.json'))
  const provider = new ExampleProvider({
    secrets: [account.secret],
    journal: join(folder, 'journal.jsonl'),
    onEnd: (record) => void sendCallback(record, account),
  })
  await once(serve(provider, Number(PORT)), 'listening')
  const { check } = await switchyard.providerAccounts.check(account.accountId)
  for (const { duty, detail } of check?.faults ?? []) console.log(`FAILED ${duty}: ${detail}`)
  const routeId = await ensureRoute(switchyard, account.accountId)
  printInstructions({
    baseUrl: switchyard.baseUrl,
    token: printableToken(connection),
    routeId,
    passed: check?.passed === true,
  })
}

async function ensureAccount(switchyard: Switchyard, file: string): Promise<SavedAccount> {
  const base_url = `http://127.0.0.1:${PORT}`
  if (existsSync(file)) {
    const account: SavedAccount = JSON.parse(readFileSync(file, 'utf8'))
    await switchyard.providerAccounts.update(account.accountId, { config: { base_url } })
    return account
  }
  const { id, secret, webhook_url } = await switchyard.providerAccounts.create({
    provider: 'custom',
    display_name: name,
    config: { base_url },
  })
  if (secret === null) throw new Error('The response with the secret was lost. Start the example again.')
  const account = { accountId: id, secret, webhookUrl: webhook_url }
  writeFileSync(file, JSON.stringify(account), { mode: 0o600 })
  return account
}

/** Only payments with this route use the example provider first. Other payments are routed as before. */
async function ensureRoute(switchyard: Switchyard, accountId: string): Promise<string> {
  const routes = await switchyard.paymentRoutes.list().all({ max: 100 })
  const existing = routes.find((route) => route.name === name && route.status === 'active')
  const distribution = { type: 'priority' as const, targets: [accountId] }
  if (existing === undefined) {
    const { id } = await switchyard.paymentRoutes.create({ name, default: distribution })
    return id
  }
  // The route may use an earlier account, or may never have been published.
  const published =
    existing.revision === null
      ? null
      : await switchyard.paymentRoutes.revision(existing.id, existing.revision)
  if (!isDeepStrictEqual(published?.default.targets, [accountId]))
    await switchyard.paymentRoutes.update(existing.id, { rules: [], default: distribution })
  return existing.id
}

/** The token of `npm run dev` is only valid on this machine. Other tokens are not printed. */
function printableToken({ token, isDevelopment }: Connection): string {
  return isDevelopment ? token : '$SWITCHYARD_TOKEN'
}

type Instructions = {
  readonly baseUrl: string
  readonly token: string
  readonly routeId: string
  readonly passed: boolean
}

function printInstructions({ baseUrl, token, routeId, passed }: Instructions): void {
  console.log(`
  ${passed ? 'Switchyard has checked the provider: it conforms to the protocol.' : 'The provider does not conform to the protocol yet.'}
  Pay with it, in another terminal:

    export TEST_URL=${baseUrl} TEST_TOKEN=${token} ROUTE=${routeId}

  Continue with examples/custom-provider/README.md.
`)
}
