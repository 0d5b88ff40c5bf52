/** API schemas of simulated payments. */
import { type Static, Type } from 'typebox'
import { IdOf, nullable, OneOf } from '../../../../kernel/shapes.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { DefinitionBody, OperandsObject } from './definition.ts'

const accounts = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50, description }))

export const SimulatePaymentRoute = Type.Object(
  {
    payment_id: Type.Optional(
      IdOf('payment', 'Existing payment to simulate, with the current settings of the accounts.'),
    ),
    operands: Type.Optional(OperandsObject),
    draw_by: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'For a hypothetical payment: key for split decisions, in place of an ID.',
      }),
    ),
    revision: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'Revision to simulate. Default: the published one.',
      }),
    ),
    definition: Type.Optional({
      ...DefinitionBody,
      description: 'Route definition that is not saved. Send it in place of `revision`.',
    }),
    assume: Type.Optional(
      Type.Object(
        {
          held: accounts('Accounts that are assumed to be on hold.'),
          open: accounts('Accounts whose circuit breaker is assumed to be open. They are tried last.'),
          outcomes: Type.Optional(
            Type.Array(Type.String({ pattern: '^[a-z0-9_]{1,60}$', examples: ['do_not_honor'] }), {
              maxItems: 5,
              description:
                'Outcomes of the attempts in order: `approved`, `unknown` or a decline code. Further attempts are approved.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description: 'Assumptions that replace the current state.',
        },
      ),
    ),
  },
  { additionalProperties: false },
)
export type SimulatePaymentRoute = Static<typeof SimulatePaymentRoute>

const countOf = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })

const AdaptiveTraceObject = Type.Object(
  {
    snapshot: nullable(Type.Integer({ description: 'Number of the statistics snapshot.', examples: [4711] })),
    taken_at: nullable(Type.String({ format: 'date-time', description: 'Time of the snapshot.' })),
    segment: Type.Unsafe<{ [operand: string]: string | null }>({
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      description: 'Segment of the payment. Null for a field that the payment does not have.',
      examples: [{ currency: 'eur' }],
    }),
    attempts: countOf('Number of attempts in the segment within the window.', 6240),
    needed: countOf('Minimum number of attempts. With fewer, the fixed order is used.', 5000),
    decides: Type.Boolean({ description: 'Whether there were enough attempts.', examples: [true] }),
    drawn: nullable(
      Type.Integer({
        description: 'Random number from 0 to 9,999. Null if none was drawn.',
        examples: [4711],
      }),
    ),
    accounts: Type.Array(
      Type.Object({
        provider_account_id: IdOf('provider_account'),
        attempts: countOf('First attempts in the window.', 5100),
        approved: countOf('Number of approved attempts.', 4692),
        score: Type.Number({ description: 'Upper estimate of the approval rate.', examples: [0.9263] }),
        probability: nullable(
          Type.Number({ description: 'Probability that the account is selected.', examples: [0.95] }),
        ),
      }),
      { description: 'Eligible accounts with a closed circuit breaker, in the fixed order.' },
    ),
  },
  { description: 'Details of adaptive ordering. Present only if it was used.' },
)

export const TraceObject = Type.Object(
  {
    payment_route_id: nullable(
      IdOf('payment_route', 'Route that decided. Null: accounts are tried in the order of their `position`.'),
    ),
    revision: nullable(
      Type.Integer({
        description: 'Revision that decided. Null for a definition that is not saved.',
        examples: [12],
      }),
    ),
    operands: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'null'] },
      description:
        'Values of the fields that the rules used. Null for a field that the payment does not have.',
      examples: [{ currency: 'eur' }],
    }),
    rules: Type.Array(
      Type.Object({
        rule: Type.Integer({ description: 'Index of the rule, starting at 0.', examples: [0] }),
        matched: Type.Boolean({
          description: 'Whether the payment matched the condition.',
          examples: [false],
        }),
        failed_at: nullable(
          Type.String({
            description: 'Condition that failed. Null if the rule matched.',
            examples: ['/rules/0/when/all/1'],
          }),
        ),
      }),
      { description: 'Rules that were evaluated. The rule that matched is the last one.' },
    ),
    draw: nullable(
      Type.Object(
        {
          key: OneOf(['payment', 'customer', 'card'], { description: 'What the distribution was based on.' }),
          drawn: Type.Integer({
            description: 'Number from 0 to 9,999 that selected the account.',
            examples: [4711],
          }),
          provider_account_id: IdOf('provider_account'),
        },
        { description: 'Details of a split. Null if there was none.' },
      ),
    ),
    candidates: Type.Array(
      Type.Object({
        provider_account_id: IdOf('provider_account'),
        eligible: Type.Boolean({ description: 'Whether the account was eligible.', examples: [false] }),
        reasons: Type.Array(Type.String({ examples: ['currency not supported'] }), {
          description: 'Why the account was not eligible, or is tried last.',
        }),
        estimated_cost: Type.Optional(
          nullable(
            Type.Integer({
              description:
                'Estimated cost at the account in minor units, from the `costs` of the account at that time. Present only if the action orders by it. Null if it is unknown.',
              examples: [43],
            }),
          ),
        ),
      }),
      { description: 'Accounts of the matching action, and whether they were eligible.' },
    ),
    order: Type.Array(Type.String(), {
      description: 'Eligible accounts in the order in which they are tried.',
    }),
    adaptive: Type.Optional(AdaptiveTraceObject),
    cause: Type.String({ description: 'Reason for the choice.', examples: ['rule "EU cards"'] }),
  },
  {
    $id: 'PaymentRouteTrace',
    description:
      'Explains the routing of a payment: the rules that were evaluated, the eligible accounts and their order.',
  },
)

export const SimulationObject = Type.Object(
  {
    object: Type.Literal('payment_route_simulation'),
    provider_account_id: nullable(
      IdOf('provider_account', 'Account that is tried first. Null if there is none.'),
    ),
    end: OneOf(['approved', 'declined', 'failed', 'unknown', 'no_provider'], {
      description: 'Final result of the payment.',
    }),
    operands: OperandsObject,
    trace: TraceObject,
    path: Type.Array(
      Type.Object({
        provider_account_id: IdOf('provider_account'),
        outcome: Type.String({ description: 'Outcome of the attempt.', examples: ['do_not_honor'] }),
        next: Type.String({ description: 'What the route does next.', examples: ['done'] }),
      }),
      { description: 'Attempts in order.' },
    ),
  },
  { $id: 'PaymentRouteSimulation', description: 'Simulated routing of one payment, step by step.' },
)

export function presentSimulation({ operands, path }: Simulation): object {
  return {
    object: 'payment_route_simulation',
    provider_account_id: path.decision.chosen,
    end: path.end,
    operands,
    trace: path.decision.trace,
    path: path.steps,
  }
}
