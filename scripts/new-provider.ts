// `npm run new:provider -- <name> ["Display name"]`: creates the folder of a connector, and prints what to fill in.

import { resolve } from 'node:path'
import { createProvider } from './new-provider/create.ts'
import { instructionsFor } from './new-provider/instructions.ts'
import { namesOf } from './new-provider/names.ts'

const usage = 'Usage: npm run new:provider -- <name> ["Display name"], such as: checkout-com "Checkout.com"'
const providers = resolve(import.meta.dirname, '../packages/server/src/providers')

const [folder, name, ...others] = process.argv.slice(2)
const names = folder === undefined || others.length > 0 ? usage : namesOf(folder, name)
const fault = typeof names === 'string' ? names : createProvider(providers, names)

if (typeof names === 'string' || fault !== null) {
  console.error(fault)
  process.exitCode = 1
} else console.log(instructionsFor(names))
