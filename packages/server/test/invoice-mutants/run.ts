// Breaks the arithmetic of invoices in one way at a time, in a copy of the server, and reports which of these
// bugs the generated invoices detect.

import { spawnSync } from 'node:child_process'
import { table } from '../../../../bench/table.ts'
import { createPatchedCopy, type PatchedCopy } from '../money/mutants/patched-copy.ts'
import { invoiceMutants } from './table.ts'

/** Returns whether every mutant was detected. */
export function detectInvoiceMutants(invoices: string): boolean {
  const copy = createPatchedCopy()
  try {
    const control = findFault(copy, invoices)
    if (control !== null) throw new Error(`Without a mutant, the invoices fail: ${control}`)
    const rows = invoiceMutants.map(({ name, breaks, patch }) => {
      copy.patch([patch])
      return [name, breaks, findFault(copy, invoices) ?? 'NOT DETECTED']
    })
    console.log(`\n${table(['mutant', 'breaks', 'first fault'], rows)}`)
    const detected = rows.filter(([, , fault]) => fault !== 'NOT DETECTED').length
    console.log(`\n${detected} of ${rows.length} were detected.`)
    return detected === rows.length
  } finally {
    copy.close()
  }
}

/** The first fault of the generated invoices in the copy. Null if there is none. */
function findFault({ folder }: PatchedCopy, invoices: string): string | null {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config=packages/server/test/invoice-mutants/vitest.config.ts',
    ],
    { cwd: folder, env: { ...process.env, INVOICE_CASES: invoices, NO_COLOR: '1' }, encoding: 'utf8' },
  )
  if (status === 0) return null
  const output = `${stdout}${stderr}`
  const fault = /seed \d+: [a-z ]+/.exec(output)?.[0]
  // An assertion in the code may fail first.
  const error = /(AssertionFailed|RangeError): .*/.exec(output)?.[0]
  if (fault === undefined && error === undefined) throw new Error(`The tests could not be run:\n${output}`)
  return fault ?? (error as string)
}
