/** Turns colours off for the commands that tests start, also where the caller, such as CI, turns them on. */
delete process.env['FORCE_COLOR'];
