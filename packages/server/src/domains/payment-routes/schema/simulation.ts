/** What would become of a payment, on the wire. */
import { type Static, Type } from 'typebox'
import { IdOf, nullable, OneOf } from '../../../kernel/shapes.ts'
import type { Simulation } from '../simulation.ts'
import { DefinitionBody, OperandsObject } from './definition.ts'

const accounts = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50, description }))

export const SimulatePaymentRoute = Type.Object(
  {
    payment_id: Type.Optional(
      IdOf('payment', 'A payment that there was: as it was made, by the accounts of now.'),
    ),
    operands: Type.Optional(OperandsObject),
    draw_by: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Of a described payment: what splits are drawn by, in place of an id.',
      }),
    ),
    revision: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'Without it: the one that is published.',
      }),
    ),
    definition: Type.Optional({
      ...DefinitionBody,
      description: 'A route that is not saved. In place of `revision`.',
    }),
    assume: Type.Optional(
      Type.Object(
        {
          held: accounts('Accounts that get no new payments.'),
          open: accounts('Accounts that fail at the moment, and are asked last.'),
          outcomes: Type.Optional(
            Type.Array(Type.String({ pattern: '^[a-z0-9_]{1,60}$', examples: ['do_not_honor'] }), {
              maxItems: 5,
              description:
                'What becomes of the attempts, one after another: `approved`, `unknown` or a decline code. Those that are not here are approved.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description: 'What is taken for granted instead of how things are now.',
        },
      ),
    ),
  },
  { additionalProperties: false },
)
export type SimulatePaymentRoute = Static<typeof SimulatePaymentRoute>

const figure = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })

const AdaptiveTraceObject = Type.Object(
  {
    snapshot: nullable(Type.Integer({ description: 'The number of the figures.', examples: [4711] })),
    taken_at: nullable(Type.String({ format: 'date-time', description: 'When they were added up.' })),
    segment: Type.Unsafe<{ [operand: string]: string | null }>({
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      description: 'Which payments it is compared with. Null: the payment does not have it.',
      examples: [{ currency: 'eur' }],
    }),
    attempts: figure('How many of them there were in the window.', 6240),
    needed: figure('With fewer of them the fixed order stands.', 5000),
    decides: Type.Boolean({ description: 'Whether there were enough.', examples: [true] }),
    drawn: nullable(
      Type.Integer({ description: 'From 0 to 9,999. Null: no lot was drawn.', examples: [4711] }),
    ),
    accounts: Type.Array(
      Type.Object({
        provider_account_id: IdOf('provider_account'),
        attempts: figure('First attempts in the window.', 5100),
        approved: figure('How many of them were approved.', 4692),
        score: Type.Number({ description: 'What it may approve at best.', examples: [0.9263] }),
        probability: nullable(
          Type.Number({ description: 'The share of lots that fall to it.', examples: [0.95] }),
        ),
      }),
      { description: 'Those that can take it and do not fail at the moment, in the fixed order.' },
    ),
  },
  { description: 'Of a priority that follows what its accounts approve.' },
)

export const TraceObject = Type.Object(
  {
    payment_route_id: nullable(IdOf('payment_route', 'Null: accounts are asked in their order.')),
    revision: nullable(
      Type.Integer({
        description: 'The revision that decided; null for one that is not saved.',
        examples: [12],
      }),
    ),
    operands: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'null'] },
      description: 'What the rules asked for. Null: the payment does not have it.',
      examples: [{ currency: 'eur' }],
    }),
    rules: Type.Array(
      Type.Object({
        rule: Type.Integer({ description: 'Its place in the route, from 0.', examples: [0] }),
        matched: Type.Boolean({ description: 'Whether the payment fits its condition.', examples: [false] }),
        failed_at: nullable(
          Type.String({ description: 'The condition that failed.', examples: ['/rules/0/when/all/1'] }),
        ),
      }),
      { description: 'The rules that were looked at, the one that matched last.' },
    ),
    draw: nullable(
      Type.Object(
        {
          key: OneOf(['payment', 'customer', 'card'], { description: 'Whose lot it is.' }),
          drawn: Type.Integer({ description: 'From 0 to 9,999.', examples: [4711] }),
          provider_account_id: IdOf('provider_account'),
        },
        { description: 'Of a split.' },
      ),
    ),
    candidates: Type.Array(
      Type.Object({
        provider_account_id: IdOf('provider_account'),
        eligible: Type.Boolean({ description: 'Whether it could take the payment.', examples: [false] }),
        reasons: Type.Array(Type.String({ examples: ['does not take the currency'] }), {
          description: 'Why not.',
        }),
      }),
      { description: 'Every account that the route names, and whether it could take the payment.' },
    ),
    order: Type.Array(Type.String(), {
      description: 'The accounts that can take it, the first to be asked first.',
    }),
    adaptive: Type.Optional(AdaptiveTraceObject),
    cause: Type.String({ description: 'What decided.', examples: ['rule "EU cards"'] }),
  },
  {
    $id: 'PaymentRouteTrace',
    description:
      'Why a payment went where it went: which rules were asked, who could take it, in which order.',
  },
)

export const SimulationObject = Type.Object(
  {
    object: Type.Literal('payment_route_simulation'),
    provider_account_id: nullable(IdOf('provider_account', 'The account that is asked first.')),
    end: OneOf(['approved', 'declined', 'failed', 'unknown', 'no_provider'], {
      description: 'What becomes of the payment.',
    }),
    operands: OperandsObject,
    trace: TraceObject,
    path: Type.Array(
      Type.Object({
        provider_account_id: IdOf('provider_account'),
        outcome: Type.String({ description: 'What the account answers.', examples: ['do_not_honor'] }),
        next: Type.String({ description: 'What the route does then.', examples: ['done'] }),
      }),
      { description: 'The accounts that are asked, one after another.' },
    ),
  },
  { $id: 'PaymentRouteSimulation', description: 'What a route would do with one payment, step by step.' },
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
