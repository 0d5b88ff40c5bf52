// The number of runs of property-based billing tests: 2,000 by default, or as many as requested with
// `npm run test:billing -- --cases 100000`.

const requestedRuns = Number(process.env.BILLING_CASES ?? 2_000)

/** Runs of properties that test pure functions. */
export const pureRuns = { numRuns: requestedRuns }

/** Runs of properties that call the API, which are much slower. */
export const apiRuns = { numRuns: Math.max(20, Math.round(requestedRuns / 100)) }
