// `npm run example:shop`: starts the shop. PORT says where (4242), SHOP_DATA in which folder it keeps its orders.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConnectionError, Switchyard } from '@switchyard/sdk'
import { findConnection } from '../connection.ts'
import { ensurePrice } from './catalogue.ts'
import { createShopServer } from './server.ts'
import { openStore, type Store } from './store.ts'
import { catchUp, ensureEndpoint } from './webhooks.ts'

const { PORT = '4242', SHOP_DATA = resolve(import.meta.dirname, '../../.switchyard/shop') } = process.env

await start().catch((error: Error) => {
  console.error(
    error instanceof ConnectionError ? `${error.message} Does \`npm run dev\` run?` : error.message,
  )
  process.exit(1)
})

async function start(): Promise<void> {
  const switchyard = new Switchyard(findConnection())
  const { workspace_id: workspaceId, mode } = await switchyard.me.get()
  mkdirSync(SHOP_DATA, { recursive: true })
  // Orders belong to a workspace: in another one nobody would know them.
  const store = openStore(join(SHOP_DATA, `${workspaceId}.sqlite`))
  const url = `http://127.0.0.1:${PORT}`
  await ensurePrice(switchyard)
  const endpoint = await ensureEndpoint(switchyard, `${url}/webhooks`)
  const secrets = {
    webhook: endpoint.secret,
    shopkeeper: store.setting('shopkeeper') ?? randomBytes(16).toString('hex'),
  }
  store.saveSetting('shopkeeper', secrets.shopkeeper)
  const publishableToken = await ensurePublishableToken(switchyard, store)
  const shop = { switchyard, store, url, publishableToken, isTest: mode === 'test' }
  const server = createShopServer(shop, secrets).listen(Number(PORT), '127.0.0.1')
  await once(server, 'listening')
  await catchUp(switchyard, endpoint)
  console.log(`\n  The shop       ${url}\n  Its keeper     ${url}/shopkeeper?key=${secrets.shopkeeper}\n`)
}

/** A page may show it to everybody: all it can do is turn a card into a token. */
async function ensurePublishableToken(switchyard: Switchyard, store: Store): Promise<string> {
  const known = store.setting('publishable_token')
  if (known !== null) return known
  const { token } = await switchyard.apiTokens.create({ name: 'Example shop', kind: 'publishable' })
  if (token === null) throw new Error('The answer with the token was lost. Start the shop once more.')
  store.saveSetting('publishable_token', token)
  return token
}
