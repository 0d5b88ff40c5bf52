// `npm run seed`: fills the workspace of a running `npm run dev` with example data. For any other test workspace use
// `npx switchyard seed`.

import { Switchyard } from '@switchyard/sdk'
import { seed } from '../packages/cli/src/seed/seed.ts'
import { findRunning } from './development-state.ts'

const running = findRunning()
const token = process.env.SWITCHYARD_TOKEN ?? running?.tokens.test
const baseUrl = process.env.SWITCHYARD_BASE_URL ?? running?.running?.testUrl
if (token === undefined || baseUrl === undefined) {
  console.error('Start `npm run dev` first, or set SWITCHYARD_TOKEN and SWITCHYARD_BASE_URL.')
  process.exit(1)
}
for await (const { id, about } of seed(new Switchyard({ token, baseUrl }))) console.log(`${id}  ${about}`)
console.log(
  `\nCreated at ${baseUrl}. To list the events: curl ${baseUrl}/events -H 'Authorization: Bearer ${token}'`,
)
