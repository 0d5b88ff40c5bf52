// `npm run setup`: prepares the database and prints the first tokens. Without DATABASE_URL it is the one
// of this clone, which `npm run dev` uses too; a database of yours is set up by the server's own command.

import { prepareDatabase } from './development-token.ts'
import { startDevelopmentServices } from './services/development.ts'

if (process.env.DATABASE_URL) {
  console.error(
    'DATABASE_URL is set. To set up that database, run: npm run server -- setup --email <your address>',
  )
  process.exit(2)
}
const services = await startDevelopmentServices()
const { email, password, tokens } = await prepareDatabase(services.postgres.url)
await services.stop()
console.log(`Ready.

  ADMIN        ${email}
  Password     ${password}
  Test token   ${tokens.test}
  Live token   ${tokens.live}

Start it with: npm run dev`)
