// `npm run setup`: builds the pages, prepares the development database of this clone and prints the first tokens. For
// your own database, use the server's `setup` command.

import { buildIfStale as buildCheckout } from '../packages/checkout/build.ts'
import { buildIfStale as buildDashboard } from '../packages/dashboard/build.ts'
import { buildIfStale as buildDocs } from '../packages/docs/build.ts'
import { findRunning, prepareDatabase } from './development-state.ts'
import { startDevelopmentServices } from './services/development.ts'

if (process.env.DATABASE_URL) {
  console.error(
    'DATABASE_URL is set. To set up that database, run: npm run server -- setup --email <your address>',
  )
  process.exit(2)
}
const running = findRunning()
const { email, password, tokens } = running ?? (await prepare().catch(reportAndExit))
console.log(`Ready.

  ADMIN        ${email}
  Password     ${password}
  Test token   ${tokens.test}
  Live token   ${tokens.live}

${running ? `It is running: ${running.running?.testUrl}` : 'Start it with: npm run dev'}`)

async function prepare() {
  await buildCheckout()
  await buildDashboard()
  await buildDocs()
  const services = await startDevelopmentServices()
  const { postgres, simulator } = services
  const dashboardUrl = 'http://localhost:8083'
  const addresses = { databaseUrl: postgres.url, simulatorUrl: simulator.url, dashboardUrl }
  return prepareDatabase(addresses).finally(() => services.stop())
}

function reportAndExit(error: Error): never {
  console.error(error.message)
  return process.exit(1)
}
