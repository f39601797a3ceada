/** Before the relay's tests: starts the PostgreSQL that they share. Afterwards: stops and removes it. */
import type { TestProject } from 'vitest/node';
import { PostgresServer } from './postgres-server.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = new PostgresServer();
  await server.create();
  project.provide('postgresPort', server.port);
  return () => server.remove();
}
