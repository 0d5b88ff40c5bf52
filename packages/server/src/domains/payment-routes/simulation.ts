import type { Operands } from './operands.ts'
import type { Path } from './path.ts'

/** A payment that was not made, and what would have become of it. */
export type Simulation = { readonly operands: Operands; readonly path: Path }
