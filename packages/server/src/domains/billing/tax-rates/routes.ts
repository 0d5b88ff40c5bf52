import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import { CreateTaxRate, present, TaxRateObject, TaxRatePath, UpdateTaxRate } from './schema.ts'
import { createTaxRate, getTaxRate, listTaxRates, type TaxRate, updateTaxRate } from './service.ts'

const version = (rate: TaxRate) => rate.version

export const taxRateOperations = (deps: Deps) => [
  operation({
    id: 'tax_rates.create',
    method: 'POST',
    path: '/tax-rates',
    summary: 'Create a tax rate',
    description:
      'Its percentage and category cannot be changed later: if the law changes, create another rate.',
    body: CreateTaxRate,
    status: 201,
    response: TaxRateObject,
    present,
    version,
    handle: ({ caller, body }) => createTaxRate(deps, caller, body),
  }),
  operation({
    id: 'tax_rates.list',
    method: 'GET',
    path: '/tax-rates',
    summary: 'List tax rates',
    description: 'Returns tax rates, newest first.',
    query: PageQuery({
      active: Type.Optional(Type.Boolean({ description: 'Only active rates, or only archived ones.' })),
    }),
    response: PageOf(TaxRateObject),
    errors: ['invalid_cursor'],
    present: presentPage('/tax-rates', present),
    handle: ({ caller, query }) =>
      listTaxRates(deps, caller, rangeOf('tax_rate', caller.mode, query), query.active ?? null),
  }),
  operation({
    id: 'tax_rates.get',
    method: 'GET',
    path: '/tax-rates/:tax_rate_id',
    summary: 'Get a tax rate',
    description: 'Returns a tax rate, even if it is archived.',
    params: TaxRatePath,
    response: TaxRateObject,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getTaxRate(deps, caller, params.tax_rate_id),
  }),
  operation({
    id: 'tax_rates.update',
    method: 'PUT',
    path: '/tax-rates/:tax_rate_id',
    summary: 'Update a tax rate',
    description:
      'Renames the rate, or archives it with `active: false`. A rate that a rule uses cannot be archived.',
    params: TaxRatePath,
    body: UpdateTaxRate,
    response: TaxRateObject,
    errors: ['not_found', 'conflict', 'version_mismatch', 'object_in_use'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateTaxRate(deps, caller, params.tax_rate_id, { ...body, ifMatch }),
  }),
]
