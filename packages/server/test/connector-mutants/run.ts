// npm run test:connector-mutants -- [--connector stripe] [--mutant stripe.decline]: removes one guard of a connector at a
// time, in a copy of the server, and reports which tests and which steps against the emulator detect it. Fails if a
// mutant is not detected.

import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import { createPatchedCopy, type PatchedCopy } from '../money/mutants/patched-copy.ts'
import { type Detection, detect } from './detect.ts'
import { type ConnectorMutant, connectorMutants } from './table.ts'

const { values } = parseArgs({ options: { connector: { type: 'string' }, mutant: { type: 'string' } } })
const selected = connectorMutants
  .filter(({ connector }) => values.connector === undefined || values.connector === connector)
  .filter(({ name }) => values.mutant === undefined || values.mutant === name)
if (selected.length === 0) throw new Error('There is no such mutant.')

type Row = { readonly mutant: ConnectorMutant; readonly detection: Detection }

const isDetected = ({ detection: { tests, emulatorSteps } }: Row) =>
  tests.length > 0 || emulatorSteps.length > 0

const patchedCopy = createPatchedCopy()
try {
  // Apply all patches first, so that an outdated one is found immediately.
  for (const { patches } of selected) patchedCopy.patch(patches)
  const connectors = new Set(selected.map(({ connector }) => connector))
  for (const connector of connectors) await requirePassingControl(patchedCopy, connector)
  const rows: Row[] = []
  for (const mutant of selected) {
    patchedCopy.patch(mutant.patches)
    rows.push({ mutant, detection: await detect(patchedCopy.folder, mutant.connector) })
    console.log(rows.slice(-1).map(textOf).join(''))
  }
  console.log(
    `\n${table(['guard', 'removed', 'detected by tests', 'detected by the emulator'], rows.map(cellsOf))}`,
  )
  const detected = rows.filter(isDetected).length
  console.log(`\n${detected} of ${rows.length} were detected.`)
  process.exitCode = detected === rows.length ? 0 : 1
} finally {
  patchedCopy.close()
}

/** With all guards in place nothing may fail. Otherwise the mutants would prove nothing. */
async function requirePassingControl({ folder, patch }: PatchedCopy, connector: string): Promise<void> {
  patch([])
  const { tests, emulatorSteps } = await detect(folder, connector)
  if (tests.length > 0 || emulatorSteps.length > 0)
    throw new Error(`With all guards, ${connector} fails: ${[...tests, ...emulatorSteps].join(', ')}`)
  console.log(`${connector}: no guard removed, no failure`)
}

function textOf(row: Row): string {
  const { tests, emulatorSteps } = row.detection
  const counts = `${tests.length} tests, ${emulatorSteps.length} steps against the emulator`
  return `${row.mutant.name}: ${isDetected(row) ? counts : 'NOT DETECTED'}`
}

function cellsOf({ mutant, detection: { tests, emulatorSteps } }: Row): string[] {
  return [mutant.name, mutant.removes, testsText(tests), emulatorSteps.join(', ') || '-']
}

/** The number of tests and one of them: one about behavior rather than about the bytes of a call, if there is one. */
function testsText(tests: readonly string[]): string {
  if (tests.length === 0) return '-'
  const isAboutBytes = /golden|a different order|hour later|access token/
  const example = tests.find((name) => !isAboutBytes.test(name)) ?? tests[0]
  return `${tests.length}, such as: ${example}`
}
