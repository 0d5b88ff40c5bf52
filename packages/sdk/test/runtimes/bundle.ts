// The probe as one script that imports nothing.

import { resolve } from 'node:path'
import { rolldown } from 'rolldown'

/** `iife` assigns the probe to the `sdk` variable, for runtimes without modules. */
export async function bundledProbe(format: 'esm' | 'iife'): Promise<string> {
  const bundle = await rolldown({ input: resolve(import.meta.dirname, 'probe.ts') })
  const { output } = await bundle.generate({ format, name: 'sdk' })
  return output[0].code
}
