import pg from 'pg';

// bigint columns are money and sequence numbers: exact, so never as text or float. Days stay as they are written.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);
