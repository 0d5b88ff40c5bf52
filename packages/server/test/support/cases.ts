// How many cases a property of billing draws: a few thousand each time, and as many as one asks for with
// `npm run test:billing -- --cases 100000`.

const asked = Number(process.env.BILLING_CASES ?? 2_000)

/** For properties that compute. */
export const cases = { numRuns: asked }

/** For properties that go through the front door, each of whose cases costs a thousand times as much. */
export const casesAtTheDoor = { numRuns: Math.max(20, Math.round(asked / 100)) }
