import type { Operands } from '../engine/operands.ts'
import type { Path } from './path.ts'

/** A simulated payment and its path. */
export type Simulation = { readonly operands: Operands; readonly path: Path }
