/**
 * The seed of property-based tests. CI uses a fixed seed, so that a failure is caused by a change and not by
 * chance. Elsewhere each run uses a random seed, unless `FC_SEED` is set.
 */
import fc from 'fast-check'

const { FC_SEED: requestedSeed, CI: isCi } = process.env
const seed = requestedSeed ?? (isCi === 'true' ? '20261115' : undefined)
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })
