import { expect, test } from 'vitest';
import { addField, ask, create, customFieldsPath, errorsOf, fresh, list, send } from '../caller.ts';

const city = async () => {
  const sandbox = fresh();
  const { data } = await addField(sandbox, 'string', 'City');
  await create(sandbox, { email: 'ada@example.com', custom_fields: [{ name: 'City', value: 'Köln' }] });
  const values = async () =>
    (await list(sandbox, { 'expand[]': 'custom_fields' })).data[0]?.custom_fields?.map(({ name, value }) => [
      name,
      value,
    ]);
  return { sandbox, field: data, values };
};

test.each(['PUT', 'PATCH'] as const)('%s renames a field, and its values have the new name', async (method) => {
  const { sandbox, field, values } = await city();
  const path = `${customFieldsPath}/${field.id}`;
  expect((await send(sandbox, method, path, { display: ' Town ' })).body).toEqual({
    data: { ...field, display: 'Town' },
  });
  expect((await ask(sandbox, 'customFields.get', path)).data.display).toBe('Town');
  expect(await values()).toEqual([['Town', 'Köln']]);
  for (const body of [{}, { display: 'Town' }])
    expect((await send(sandbox, method, path, body)).body).toMatchObject({ data: { display: 'Town' } });
  const { warnings } = await create(sandbox, {
    email: 'ada@example.com',
    custom_fields: [{ name: 'City', value: 'x' }],
  });
  expect(warnings?.[0]?.code).toBe('CUSTOM_FIELD_NOT_FOUND');
});

test('a field cannot take the display text of another', async () => {
  const { sandbox, field } = await city();
  const { data: other } = await addField(sandbox, 'date', 'Since');
  const refused = await send(sandbox, 'PATCH', `${customFieldsPath}/${other.id}`, { display: field.display });
  expect([refused.status, errorsOf(refused)[0]?.code]).toEqual([400, 'ALREADY_EXISTS']);
});

test('deleting a field deletes its values, and its display text can be used again', async () => {
  const { sandbox, field, values } = await city();
  const rows = () => sandbox.snapshots.take().rows;
  const before = rows();
  const answered = await send(sandbox, 'DELETE', `${customFieldsPath}/${field.id}`);
  expect([answered.status, answered.body]).toEqual([204, null]);
  // The field and the one value that it had.
  expect(rows()).toBe(before - 2);
  expect((await send(sandbox, 'DELETE', `${customFieldsPath}/${field.id}`)).status).toBe(404);
  await addField(sandbox, 'string', 'City');
  expect(await values()).toEqual([]);
});
