// `npm run example:shop`: starts the shop. PORT sets the port (default 4242), SHOP_DATA the folder for its orders.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConnectionError, Switchyard } from '@switchyard/sdk'
import { findConnection } from '../connection.ts'
import { ensurePrice } from './catalogue.ts'
import { createShopServer } from './server.ts'
import { openStore, type Store } from './store.ts'
import { ensureEndpoint, requestMissedEvents } from './webhooks.ts'

const { PORT = '4242', SHOP_DATA = resolve(import.meta.dirname, '../../.switchyard/shop') } = process.env

await start().catch((error: Error) => {
  console.error(
    error instanceof ConnectionError
      ? `${error.message} Check that \`npm run dev\` is running.`
      : error.message,
  )
  process.exit(1)
})

async function start(): Promise<void> {
  const switchyard = new Switchyard(findConnection())
  const { workspace_id: workspaceId, mode } = await switchyard.me.get()
  mkdirSync(SHOP_DATA, { recursive: true })
  // Orders belong to a workspace, so each workspace has its own file.
  const store = openStore(join(SHOP_DATA, `${workspaceId}.sqlite`))
  const url = `http://127.0.0.1:${PORT}`
  const letterPriceId = await ensurePrice(switchyard)
  await allowOrigin(switchyard, url)
  const endpoint = await ensureEndpoint(switchyard, `${url}/webhooks`)
  const secrets = {
    webhook: endpoint.secret,
    shopkeeper: store.setting('shopkeeper') ?? randomBytes(16).toString('hex'),
  }
  store.saveSetting('shopkeeper', secrets.shopkeeper)
  const publishableToken = await ensurePublishableToken(switchyard, store)
  const shop = { switchyard, store, url, publishableToken, letterPriceId, isTest: mode === 'test' }
  const server = createShopServer(shop, secrets).listen(Number(PORT), '127.0.0.1')
  await once(server, 'listening')
  await requestMissedEvents(switchyard, endpoint)
  console.log(`\n  Shop           ${url}\n  Shopkeeper     ${url}/shopkeeper?key=${secrets.shopkeeper}\n`)
}

/** Only pages of allowed origins can embed the payment element. */
async function allowOrigin(switchyard: Switchyard, origin: string): Promise<void> {
  const { allowed_origins: allowed } = (await switchyard.workspace.get()).elements
  if (allowed.includes(origin)) return
  await switchyard.workspace.update({ elements: { allowed_origins: [...allowed, origin] } })
}

/** A publishable token is safe in the browser: on its own it gives no access to sessions. */
async function ensurePublishableToken(switchyard: Switchyard, store: Store): Promise<string> {
  const saved = store.setting('publishable_token')
  if (saved !== null) return saved
  const { token } = await switchyard.apiTokens.create({ name: 'Example shop', kind: 'publishable' })
  if (token === null) throw new Error('The response with the token was lost. Start the shop again.')
  store.saveSetting('publishable_token', token)
  return token
}
